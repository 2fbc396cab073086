import { answerRequest, forbidSharedCaching, isBelow, toPublicTarget, warnAtStart } from "@latchkey/core/integration"
import type { Context, Env, MiddlewareHandler } from "hono"
import type { HonoAuthOptions, HonoConfigSource } from "./config.js"
import { getState, initState, sendCookies } from "./session.js"

/**
 * Combines `initAuthConfig` and `authHandler`: `app.use(HonoAuth(config))`, before all routes.
 *
 * Answers requests below `basePath` (else the path of `AUTH_URL`, else `/auth`) and passes others on.
 * @param source The configuration, or a function that returns the one for a request.
 */
export function HonoAuth<E extends Env>(
  source: HonoConfigSource<E>,
  options: HonoAuthOptions = {},
): MiddlewareHandler<E> {
  warnAtStart(source)
  return async (c, next) => {
    initState(c, source, options)
    const response = await answer(c)
    if (response) return response
    await next()
    return sendCookies(c)
  }
}

/**
 * Sets the configuration for `authHandler`, `requireAuth` and `c.get("auth")`: `app.use(initAuthConfig(config))`.
 * Adds the cookies of renewed sessions and actions to the response.
 * @param source The configuration, or a function that returns the one for a request. It is called when the configuration
 *   is first needed.
 */
export function initAuthConfig<E extends Env>(
  source: HonoConfigSource<E>,
  options: HonoAuthOptions = {},
): MiddlewareHandler<E> {
  warnAtStart(source)
  return async (c, next) => {
    initState(c, source, options)
    await next()
    sendCookies(c)
  }
}

/**
 * Mounts the endpoints behind `initAuthConfig`: `app.use("/auth/*", authHandler())`.
 *
 * The base path is the mount path, before the wildcard. Mounted for all paths, it answers requests below `basePath` (else
 * the path of `AUTH_URL`, else `/auth`) and passes others on.
 */
export function authHandler(): MiddlewareHandler {
  return async (c, next) => (await answer(c)) ?? (await next())
}

/** Returns null for a request that is not below the base path. */
async function answer(c: Context): Promise<Response | null> {
  const mountPath = findMountPath(c)
  const state = getState(c)
  const settings = await state.findSettings(mountPath)
  const { origin, pathname, search } = new URL(c.req.url)
  const path = toPublicTarget(pathname, mountPath, settings)
  if (!isBelow(path, settings.basePath)) return null
  const request = await toServiceRequest(c, `${origin}${path}${search}`)
  const response = await answerRequest(request, state.caller(), settings)
  // Keeps the cookies that were set by middlewares before this one; returning the response itself would drop them.
  const complete = c.newResponse(response.body, response)
  if (response.headers.has("set-cookie")) forbidSharedCaching(complete.headers)
  return complete
}

/**
 * Finds the path that the running middleware is mounted on: the part before the wildcard of its pattern, including base
 * paths and mounts of apps above it. Empty if it is mounted for all paths, or if the pattern does not tell.
 *
 * Counts segments from the end: that keeps parameters as sent, and works for an app that does not route by path
 * (`getPath`).
 */
function findMountPath(c: Context): string {
  // Not by `hono/route`: in a CommonJS app, it would be that of another copy of Hono, which knows no request of this one.
  const pattern = c.req.matchedRoutes.at(c.req.routeIndex)?.path ?? ""
  // A parameter with its own pattern (`:rest{.+}`) may match several segments.
  if (!pattern.endsWith("/*") || pattern.includes("{")) return ""
  const mounted = toSegments(pattern).length - 1
  if (mounted === 0) return ""
  const rest = toSegments(c.req.path).length - mounted
  const sent = toSegments(new URL(c.req.url).pathname)
  const before = sent.slice(0, Math.max(sent.length - rest, 0))
  return before.length === 0 ? "" : `/${before.join("/")}`
}

function toSegments(path: string): readonly string[] {
  return path.replace(/^\//, "").split("/")
}

/** Headers that describe the original transfer of a body. They do not fit a body that was rebuilt. */
const transferHeaders = ["content-length", "content-encoding", "transfer-encoding"] as const

/**
 * Returns the request under another URL. A body that was read is rebuilt from Hono's cache.
 * @throws Error for a body that was read without Hono, so that it is never silently empty
 */
async function toServiceRequest(c: Context, url: string): Promise<Request> {
  const { raw } = c.req
  if (!raw.bodyUsed) return raw.url === url ? raw : new Request(url, raw)
  const headers = new Headers(raw.headers)
  for (const name of transferHeaders) headers.delete(name)
  return new Request(url, { method: raw.method, headers, body: await readCachedBody(c) })
}

async function readCachedBody({ req }: Context): Promise<ArrayBuffer | URLSearchParams> {
  const [kind] = Object.keys(req.bodyCache)
  if (kind === undefined) {
    throw new Error(
      "The request's body was already read from c.req.raw. Read it with c.req, or mount authentication before the code that reads it",
    )
  }
  const isForm = kind === "formData" && /^application\/x-www-form-urlencoded\b/i.test(req.header("content-type") ?? "")
  // `arrayBuffer` would encode a parsed form as multipart, unlike its header.
  return isForm ? toFields(await req.formData()) : await req.arrayBuffer()
}

function toFields(form: FormData): URLSearchParams {
  const fields = new URLSearchParams()
  form.forEach((value, name) => {
    if (typeof value === "string") fields.append(name, value)
  })
  return fields
}
