import { settingsOf } from "@latchkey/core/integration"
import { resolveSettings } from "@latchkey/node"
import type { FastifyInstance, FastifyPluginAsync } from "fastify"
import { createContextReader } from "./arrival.js"
import { registerRoutes } from "./auth-routes.js"
import { createAuthenticate } from "./authenticate.js"
import { type AuthPluginOptions, type FastifyConfigSource, toSource } from "./plugin-options.js"
import { createVisitors } from "./visitors.js"

/**
 * Mounts the service in a Fastify app: `await app.register(authPlugin, config)`, before the routes that ask who
 * somebody is.
 *
 * Decorates requests with `auth` and the app with `authenticate`, for the scope in which it is registered. The bodies
 * of its own routes stay unparsed; those of the app are parsed as ever.
 */
const plugin: FastifyPluginAsync<AuthPluginOptions> = async (app, options) => {
  const source = toSource(options)
  const prefix = options.prefix ?? findPrefix(app, source)
  const readContext = createContextReader()
  const mountPath = joinPaths(app.prefix, prefix)
  // A mount path with parameters is another one for each request; elsewhere, only the configuration knows one.
  const knownPath = /[:*]/.test(mountPath) ? "" : mountPath
  const visitors = createVisitors({
    findSettings: (request) => resolveSettings(source, request, knownPath),
    readContext,
  })
  app.decorateRequest("auth", {
    getter() {
      return visitors.get(this).auth
    },
  })
  app.decorate("authenticate", createAuthenticate(visitors))
  app.addHook("onSend", async (request, reply) => visitors.sendCookies(request, reply))
  await app.register(registerRoutes, { prefix: trimPath(prefix), source, readContext })
}

/** Taken out of its own scope, as `fastify-plugin` does it, so that the rest of the app sees the decorations. */
export const authPlugin: FastifyPluginAsync<AuthPluginOptions> = Object.assign(plugin, {
  [Symbol.for("skip-override")]: true,
  [Symbol.for("fastify.display-name")]: "@latchkey/fastify",
  [Symbol.for("plugin-meta")]: { name: "@latchkey/fastify", fastify: "5.x" },
})

/** Where the configuration wants the actions, within the scope. */
function findPrefix({ prefix }: FastifyInstance, source: FastifyConfigSource): string {
  const config = typeof source === "function" ? { providers: [] } : source
  const { basePath } = settingsOf(config, { env: process.env })
  return prefix !== "" && basePath.startsWith(`${prefix}/`) ? basePath.slice(prefix.length) : basePath
}

function joinPaths(outer: string, inner: string): string {
  return `${trimPath(outer)}${trimPath(inner)}`
}

function trimPath(path: string): string {
  const trimmed = path.replace(/^\/+|\/+$/g, "")
  return trimmed === "" ? "" : `/${trimmed}`
}
