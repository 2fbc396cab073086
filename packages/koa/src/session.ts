import type { Answer } from "@latchkey/core"
import { type BoundAuth, bindAuth, type Settings, type UserAuth } from "@latchkey/core/integration"
import { findCaller, keepPrivate, readSetCookies, readTarget } from "@latchkey/node"
import type { Context } from "koa"
import { readContext, readOrigin } from "./config.js"

declare module "koa" {
  interface ExtendableContext {
    /** The session and the actions of the request. Set by `KoaAuth`. */
    readonly auth: UserAuth<null>
  }
}

const auths = new WeakMap<Context, BoundAuth<null>>()

/** Sets `ctx.auth`. The session is read when the host first asks for it. */
export function initAuth(ctx: Context, settings: Settings): BoundAuth<null> {
  const bound = bindAuth<null>({
    findCaller() {
      const found = findCaller(ctx.req, settings, readOrigin(ctx))
      return { ...found, caller: { ...found.caller, context: readContext(ctx, settings.config) } }
    },
    readTarget: () => readTarget(ctx),
    isOpen: () => !ctx.headerSent,
    refuse: (response) => sendResponse(response, ctx),
  })
  auths.set(ctx, bound)
  Object.assign(ctx, { auth: bound.auth })
  return bound
}

/** @throws Error if `KoaAuth` has not seen the request */
export function findAuth(ctx: Context): BoundAuth<null> {
  const bound = auths.get(ctx)
  if (bound) return bound
  throw new Error(
    "The request has no authentication configuration. Mount KoaAuth(config) for all paths and before the code that uses it",
  )
}

/** Adds the pending cookies to those that the response already sets. A response that is sent already stays as it is. */
export function sendCookies(ctx: Context, { takeCookies, takeHeaders, hasRefused }: BoundAuth<null>): void {
  if (ctx.headerSent) return
  const lines = takeCookies(readSetCookies(ctx.res))
  for (const [name, value] of Object.entries(takeHeaders())) ctx.set(name, value)
  for (const line of lines) ctx.append("set-cookie", line)
  // On the raw response, which middlewares mounted before cannot change any more.
  if (lines.length > 0 || hasRefused()) keepPrivate(ctx.res, hasRefused)
}

/** Answers through Koa, so that middlewares mounted before see the response, and their cookies stay. */
export function send({ status, headers, body }: Answer, ctx: Context): void {
  ctx.remove("content-type") // Koa would send an empty body of the type JSON as `null`.
  ctx.body = body
  ctx.status = status // After the body, which sets a status of its own.
  // Koa 2 ends a response without a body and a length by closing the connection.
  if (body === null && ctx.method !== "HEAD") ctx.length = 0
  for (const [name, value] of headers) {
    if (name === "set-cookie") ctx.append(name, value)
    else ctx.set(name, value)
  }
  keepPrivate(ctx.res)
}

/** Not by Koa itself, which would join cookies to one. */
export async function sendResponse(response: Response, ctx: Context): Promise<null> {
  send({ status: response.status, headers: [...response.headers], body: (await response.text()) || null }, ctx)
  return null
}
