/**
 * What is written to: Node's `ServerResponse`, that of its HTTP/2 compatibility API, or a framework's that extends one.
 */
export interface NodeResponse {
  statusCode: number
  readonly headersSent: boolean
  readonly destroyed: boolean
  readonly writableEnded: boolean
  readonly req: { readonly method?: string | undefined }
  setHeader(name: string, value: string): unknown
  /** Keeps the values that the header has already. */
  appendHeader(name: string, value: string): unknown
  write(chunk: Uint8Array): boolean
  end(): unknown
  end(body: string): unknown
  destroy(): unknown
  once(event: string, listener: () => void): unknown
  off(event: string, listener: () => void): unknown
}
