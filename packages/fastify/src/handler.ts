import { InvalidConfiguration } from "@latchkey/core/errors"
import { settingsOf, trimPath, warnAtStart } from "@latchkey/core/integration"
import { answerRequest, findCaller, keepPrivate, readTarget, resolveSettings, toPath } from "@latchkey/node"
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify"
import {
  type AuthPluginOptions,
  type ContextReader,
  createContextReader,
  type FastifyConfigSource,
  readOrigin,
  toSource,
} from "./config.js"
import { createRequireAuth } from "./guard.js"
import { createRequestAuths } from "./session.js"

/**
 * Mounts the endpoints in a Fastify app: `await app.register(authPlugin, config)`, before the routes that read the
 * session.
 *
 * Decorates requests with `auth` and the app with `requireAuth`, for the scope in which it is registered. The app's
 * content type parsers stay as they are.
 */
const plugin: FastifyPluginAsync<AuthPluginOptions> = async (app, options) => {
  const source = toSource(options)
  warnAtStart(source)
  const prefix = trimPath(options.prefix ?? findPrefix(app, source))
  const readContext = createContextReader()
  const mountPath = `${trimPath(app.prefix)}${prefix}`
  // With parameters, the mount path is unknown on other paths: there, the configuration has to set the base path.
  const knownPath = /[:*]/.test(mountPath) ? "" : mountPath
  const findSettings = async (request: FastifyRequest) => resolveSettings(source, request, knownPath)
  const auths = createRequestAuths(async (request) => {
    const { caller, settings } = findCaller(request.raw, await findSettings(request), readOrigin(request))
    return { caller: { ...caller, context: readContext(request, settings.config) }, settings }
  })
  app.decorateRequest("auth", {
    getter() {
      return auths.get(this).auth
    },
  })
  const requireAuth = createRequireAuth(auths)
  app.decorate("requireAuth", requireAuth)
  app.decorate("authenticate", requireAuth)
  app.addHook("onSend", async (request, reply) => auths.sendCookies(request, reply))
  await app.register(routes, { prefix, source, readContext })
}

/** Taken out of its own scope, like `fastify-plugin` does, so that the rest of the app sees the decorators. */
export const authPlugin: FastifyPluginAsync<AuthPluginOptions> = Object.assign(plugin, {
  [Symbol.for("skip-override")]: true,
  [Symbol.for("fastify.display-name")]: "@latchkey/fastify",
  [Symbol.for("plugin-meta")]: { name: "@latchkey/fastify", fastify: "5.x" },
})

/** The configured path of the endpoints, relative to the scope. */
function findPrefix({ prefix }: FastifyInstance, source: FastifyConfigSource): string {
  const config = typeof source === "function" ? { providers: [] } : source
  const basePath = toRoutePath(settingsOf(config, { env: process.env }).basePath)
  return prefix !== "" && basePath.startsWith(`${prefix}/`) ? basePath.slice(prefix.length) : basePath
}

/**
 * The path as the router compares it: decoded, and with two colons for one, which would begin a parameter.
 * @throws InvalidConfiguration for a path that the router refuses
 */
function toRoutePath(basePath: string): string {
  try {
    return decodeURI(basePath).replaceAll(":", "::")
  } catch {
    throw new InvalidConfiguration(
      `basePath: "${basePath}" has a % that encodes nothing, and Fastify refuses such paths. Write %25 for a percent sign`,
    )
  }
}

interface RouteOptions {
  readonly source: FastifyConfigSource
  readonly readContext: ContextReader
}

/** The endpoints, in a scope of their own: bodies stay unparsed for the service. */
const routes: FastifyPluginAsync<RouteOptions> = async (scope, { source, readContext }) => {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body))
  const mountSegments = scope.prefix.split("/").length

  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    // Without the origin of an absolute target. `rewriteUrl` of the app changes `request.url` alone.
    const target = readTarget({ url: request.url })
    const mountPath = toPath(target).split("/").slice(0, mountSegments).join("/")
    const settings = await resolveSettings(source, request, mountPath)
    const answer = await answerRequest(request.raw, settings, {
      ...readOrigin(request),
      context: readContext(request, settings.config),
      // The base path in place of the mount path, in case a proxy cut off its beginning.
      url: `${settings.basePath}${target.slice(mountPath.length)}`,
      body: request.body,
      response: reply.raw,
    })
    if (answer === null) return reply.callNotFound()
    keepPrivate(reply.raw) // The app's hooks may set headers for caches.
    reply.code(answer.status)
    for (const [name, value] of answer.headers) reply.header(name, value)
    return reply.send(answer.body ?? undefined)
  }

  scope.all("/*", answer)
}
