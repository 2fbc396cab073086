import { createRequestState, type RequestAuth, type RequestState, type Settings } from "@latchkey/core/integration"
import { type FoundCaller, findCaller, keepPrivate, readSetCookies } from "@latchkey/node"
import type { Context } from "koa"
import { readContext, readOrigin } from "./config.js"

declare module "koa" {
  interface ExtendableContext {
    /** The session and the actions of the request. Set by `KoaAuth`. */
    readonly auth: RequestAuth
  }
}

/** What the middlewares of one request share. */
export interface AuthState {
  readonly findCaller: () => Promise<FoundCaller>
  readonly request: RequestState
}

const states = new WeakMap<Context, AuthState>()

/** Sets `ctx.auth`. The session is read when the host first asks for it. */
export function initState(ctx: Context, settings: Settings): AuthState {
  const find = async (): Promise<FoundCaller> => {
    const found = findCaller(ctx.req, settings, readOrigin(ctx))
    return { ...found, caller: { ...found.caller, context: readContext(ctx, settings.config) } }
  }
  const state = { findCaller: find, request: createRequestState(find) }
  states.set(ctx, state)
  Object.assign(ctx, { auth: state.request.auth })
  return state
}

/** @throws Error if `KoaAuth` has not seen the request */
export function getState(ctx: Context): AuthState {
  const state = states.get(ctx)
  if (state) return state
  throw new Error(
    "The request has no authentication configuration. Mount KoaAuth(config) for all paths and before the code that uses it",
  )
}

/** Adds the pending cookies to those that the response already sets. A response that is sent already stays as it is. */
export function sendCookies(ctx: Context, { request }: AuthState): void {
  if (ctx.headerSent) return
  const lines = request.takeCookies(readSetCookies(ctx.res))
  for (const line of lines) ctx.append("set-cookie", line)
  // On the raw response, which middlewares mounted before cannot change any more.
  if (lines.length > 0) keepPrivate(ctx.res)
}
