import type { IncomingHttpHeaders } from "node:http"

/**
 * What is read of a request: Node's `IncomingMessage`, the request of its HTTP/2 compatibility API, and the requests of
 * the frameworks that extend them.
 */
export interface NodeRequest {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly headers: IncomingHttpHeaders
  /** What loggers (pino-http, say) and frameworks call the request. */
  readonly id?: unknown
  readonly rawHeaders: readonly string[]
  readonly socket: object
  /** HTTP/2: knows whether a body follows. */
  readonly stream?: { readonly endAfterHeaders: boolean } | undefined
  /** Connect, Express: the target before a mount path was cut off `url`. */
  readonly originalUrl?: string | undefined
  /** What a body parser made of the body. */
  readonly body?: unknown
  /** The bytes of the body, on platforms that read it themselves. */
  readonly rawBody?: unknown
  readonly readableDidRead: boolean
  readonly readableEnded: boolean
  readonly destroyed: boolean
  pause(): unknown
  resume(): unknown
  on(event: string, listener: (chunk: Uint8Array) => void): unknown
  off(event: string, listener: (chunk: Uint8Array) => void): unknown
}
