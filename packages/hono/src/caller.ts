import { type AuthContext, logRejectedRequest, resolveOrigin } from "@latchkey/core"
import { UntrustedHost } from "@latchkey/core/errors"
import type { Caller, Settings } from "@latchkey/core/integration"
import type { Context } from "hono"
import { findSettings, getState } from "./request-state.js"

/** A visitor, and the settings with the origin under which they see the app. */
export interface Found {
  readonly caller: Caller
  readonly settings: Settings
}

/** @throws UntrustedHost when the request's protocol or host is none; the log says so as well */
export async function findCaller(c: Context): Promise<Found> {
  const settings = await findSettings(c)
  const caller = { headers: c.req.raw.headers, context: readContext(c) }
  return { caller, settings: { ...settings, origin: findOrigin(c, settings) } }
}

/** @throws UntrustedHost, which the log says as well */
export function findOrigin(c: Context, { origin, config: { logger } }: Settings): string {
  const url = new URL(c.req.url)
  const { headers } = c.req.raw
  // Platforms know the host without a header, and a test's request has none.
  const hostHeaders = { get: (name: string) => (name === "host" ? url.host : headers.get(name)) }
  try {
    return resolveOrigin(hostHeaders, { ...getState(c).options, origin, socketProtocol: url.protocol })
  } catch (error) {
    if (error instanceof UntrustedHost) {
      logRejectedRequest(error, { headers, context: readContext(c), ...(logger && { logger }) })
    }
    throw error
  }
}

/**
 * What is known of the connection. On Node the server hands over the socket; elsewhere the host says which header its
 * platform sets (`clientAddress` in the configuration).
 */
export function readContext(c: Context): AuthContext {
  const { incoming } = (c.env ?? {}) as { incoming?: { socket?: { remoteAddress?: unknown } } } // Only @hono/node-server has it.
  const clientAddress = incoming?.socket?.remoteAddress
  const requestId: unknown = c.get("requestId")
  return {
    clientAddress: typeof clientAddress === "string" ? clientAddress : undefined,
    requestId: typeof requestId === "string" ? requestId : undefined,
  }
}
