/** The headers of a request, as far as they are read. `Headers` are such; names are asked for in lower case. */
export interface IncomingHeaders extends Iterable<[name: string, value: string]> {
  get(name: string): string | null
  has(name: string): boolean
}

/**
 * A request, as far as it is read. Every `Request` is one; a server of another kind hands in what it has, since making
 * a `Request` of it costs more than answering it.
 */
export interface IncomingRequest {
  readonly method: string
  /** Absolute. */
  readonly url: string
  readonly headers: IncomingHeaders
  /** A stream that is read once, or what somebody has read of it. Null: there is none. */
  readonly body: ReadableStream<Uint8Array> | Uint8Array | string | null
}
