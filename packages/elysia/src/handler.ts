import {
  answerRequest,
  isBelow,
  normalizeBasePath,
  type Settings,
  toPublicTarget,
  type UserAuth,
  warnAtStart,
} from "@latchkey/core/integration"
import { Elysia } from "elysia"
import { type ElysiaAuthOptions, type ElysiaConfigSource, findSettings, toCaller } from "./config.js"
import { addCookies, complete, findAuth, initAuth } from "./session.js"

type Nothing = Record<never, never>

/** The plugin, which adds `auth` to the context of all handlers. */
export type ElysiaAuthPlugin = Elysia<
  "",
  { decorator: Nothing; store: Nothing; derive: { readonly auth: UserAuth }; resolve: Nothing }
>

/**
 * Mounts the endpoints in an Elysia app: `app.use(ElysiaAuth(config))`, before the routes that read the session.
 *
 * Answers requests below `basePath` (else the path of `AUTH_URL`, else `/auth`) and adds `auth` to the context of others.
 * @param source The configuration, or a function that returns the one for a request. Return the same object for the same
 *   case: Latchkey resolves each configuration object once.
 */
export function ElysiaAuth(source: ElysiaConfigSource, options: ElysiaAuthOptions = {}): ElysiaAuthPlugin {
  warnAtStart(source)
  const prefix = normalizeBasePath(options.prefix ?? "")
  const plugin = new Elysia({ name: "@latchkey/elysia", seed: crypto.randomUUID() }).derive(
    { as: "global" },
    ({ request, path }) => ({ auth: findAuth(request, path).auth }),
  )
  // Elysia reads the parameters of each hook to find out what the hook needs.
  plugin.onRequest(async ({ request, server, set }) => {
    const settings = await findSettings(source, request, prefix)
    const caller = toCaller(request, server, options)
    const path = URL.parse(request.url)?.pathname ?? ""
    if (!isBelow(path, prefix === "" ? settings.basePath : prefix)) return initAuth(request, caller, settings)
    const response = await answerRequest(toPublicRequest(request, prefix, settings), caller, settings)
    return complete(response, set)
  })
  // Without compiled handlers (`aot: false`), only `response` is set.
  plugin.onAfterHandle({ as: "global" }, ({ request, set, response, responseValue }) =>
    addCookies(request, set, responseValue ?? response),
  )
  plugin.onError({ as: "global" }, ({ request, set }) => {
    addCookies(request, set, undefined)
  })
  return plugin
}

/**
 * The request with the base path in place of the prefix. Made from its parts, because a request of `@elysiajs/node` is a
 * look-alike that `new Request` cannot always copy.
 */
function toPublicRequest({ method, headers, body, url }: Request, prefix: string, settings: Settings): Request {
  const { origin, pathname, search } = new URL(url)
  // `duplex` is missing from some type libraries, but required for a stream.
  const init: RequestInit & { duplex: "half" } = { method, headers, duplex: "half" }
  if (body) init.body = body
  return new Request(`${origin}${toPublicTarget(pathname, prefix, settings)}${search}`, init)
}
