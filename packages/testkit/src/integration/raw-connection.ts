import { once } from "node:events"
import { connect, type Socket } from "node:net"

/** A response, read to its end. */
export interface RawResponse {
  readonly status: number
  /** The status line and the headers. */
  readonly head: string
  readonly body: string
}

/** A request with a body of any length, as a client or a proxy sends it on a connection that it keeps. */
export interface RawRequest {
  readonly method: "GET" | "POST"
  readonly path: string
  /** Lines without line breaks. */
  readonly headers?: readonly string[]
  /** Length of the body in bytes. Default: none. */
  readonly bytes?: number
  readonly isChunked?: boolean
  /** Whether to wait for `100 Continue` before the body. Default: false. */
  readonly isExpecting?: boolean
}

/** One connection that is kept open, with an answer for each request. */
export interface RawConnection {
  /**
   * Sends a request with its whole body.
   * @throws Error if the connection ends before the response is complete.
   */
  send(request: RawRequest): Promise<RawResponse>
  close(): void
}

const chunk = Buffer.alloc(64 * 1024, "a")

/** Connects to a port of 127.0.0.1. */
export async function openConnection(port: number): Promise<RawConnection> {
  const socket = connect(port, "127.0.0.1")
  const received = createInbox(socket)
  await once(socket, "connect")
  return {
    async send(request) {
      socket.write(toHead(request, port))
      const early = request.isExpecting ? await received.next({ isInterim: true }) : undefined
      if (early && early.status !== 100) return early
      const [response] = await Promise.all([received.next({ isInterim: false }), writeBody(socket, request)])
      return response
    },
    close: () => void socket.destroy(),
  }
}

function toHead({ method, path, headers = [], bytes = 0, isChunked, isExpecting }: RawRequest, port: number): string {
  const length = isChunked ? "Transfer-Encoding: chunked" : `Content-Length: ${bytes}`
  const framing = bytes > 0 ? [length] : []
  const expect = isExpecting ? ["Expect: 100-continue"] : []
  const lines = [`${method} ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...headers, ...framing, ...expect]
  return `${lines.join("\r\n")}\r\n\r\n`
}

async function writeBody(socket: Socket, { bytes = 0, isChunked }: RawRequest): Promise<void> {
  for (let left = bytes; left > 0 && socket.writable; left -= chunk.length) {
    const part = chunk.subarray(0, left)
    if (isChunked) socket.write(`${part.length.toString(16)}\r\n`)
    const isTaken = socket.write(part)
    if (isChunked) socket.write("\r\n")
    if (!isTaken && socket.writable) await new Promise<void>((resolve) => resumeOn(socket, resolve))
  }
  if (isChunked && socket.writable) socket.write("0\r\n\r\n")
}

function resumeOn(socket: Socket, resume: () => void): void {
  const events = ["drain", "close"]
  const done = () => {
    for (const event of events) socket.off(event, done)
    resume()
  }
  for (const event of events) socket.on(event, done)
}

/** Collects what arrives, and hands out whole responses. */
function createInbox(socket: Socket): { next(wanted: { readonly isInterim: boolean }): Promise<RawResponse> } {
  let text = ""
  let failure: Error | undefined
  let wake: () => void = () => undefined
  socket.on("data", (part: Buffer) => {
    text += part.toString("latin1")
    wake()
  })
  socket.on("error", (error: Error) => {
    failure = error
  })
  socket.on("close", () => {
    failure ??= new Error("The connection ended without a response")
    wake()
  })
  async function nextResponse(): Promise<RawResponse> {
    for (;;) {
      const found = parseResponse(text)
      if (found) {
        text = text.slice(found.length)
        return found.response
      }
      if (failure) throw failure
      await new Promise<void>((resolve) => (wake = resolve))
    }
  }
  return {
    async next({ isInterim }) {
      let response = await nextResponse()
      while (!isInterim && response.status < 200) response = await nextResponse()
      return response
    },
  }
}

/** The first response of a text. Null if it is not complete. */
function parseResponse(text: string): { readonly response: RawResponse; readonly length: number } | null {
  const end = text.indexOf("\r\n\r\n")
  if (end === -1) return null
  const head = text.slice(0, end)
  const rest = text.slice(end + 4)
  const status = Number(head.split(" ", 2)[1])
  const [, declared] = /^content-length: *(\d+)/im.exec(head) ?? []
  const isChunked = /^transfer-encoding: *chunked/im.test(head)
  const last = rest.startsWith("0\r\n\r\n") ? 0 : rest.indexOf("\r\n0\r\n\r\n")
  const size = status < 200 ? 0 : isChunked ? last + (last === 0 ? 5 : 7) : Number(declared ?? 0)
  if ((isChunked && last === -1) || rest.length < size) return null
  return { response: { status, head, body: rest.slice(0, size) }, length: end + 4 + size }
}
