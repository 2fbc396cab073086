import type { Caller } from "@latchkey/core/integration"
import { fromNodeHeaders } from "./headers.js"
import type { NodeRequest } from "./node-request.js"
import { type OriginOptions, resolveOrigin } from "./origin.js"
import { readContext } from "./read-context.js"
import type { Settings } from "./settings.js"

/** What the functions of `@latchkey/core/integration` want to know of a visitor. */
export interface FoundCaller {
  readonly caller: Caller
  /** With the origin under which the visitor sees the app. */
  readonly settings: Settings
}

/** @throws UntrustedHost when the request's host is none */
export function findCaller(request: NodeRequest, settings: Settings, options: OriginOptions = {}): FoundCaller {
  const origin = settings.origin ?? resolveOrigin(request, options)
  const caller = { headers: fromNodeHeaders(request.headers), context: readContext(request) }
  return { caller, settings: { ...settings, origin } }
}
