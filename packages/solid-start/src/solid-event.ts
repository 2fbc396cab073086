import type { AuthContext } from "@latchkey/core"
import type { Caller } from "@latchkey/core/integration"

/** What is read of SolidStart's events: those of API routes, and what `getRequestEvent()` gives. */
export interface SolidEvent {
  readonly request: Request
  /** Of the socket, as SolidStart says it. */
  readonly clientAddress?: string | undefined
  /** The answer that SolidStart is making. */
  readonly response?: { readonly headers: Headers } | undefined
}

/** The visitor behind an event. SolidStart looks at no forwarded header: the URL is what the connection says. */
export function toCaller({ request, clientAddress }: SolidEvent): Caller {
  const { protocol, host } = new URL(request.url)
  const context: AuthContext = { clientAddress }
  return { headers: request.headers, protocol, host, context }
}
