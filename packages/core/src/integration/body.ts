import type { IncomingRequest } from "../types/http.js"

/** The parts of a `Request` that a body is read from. */
export type BodySource = Pick<Request, "method" | "headers" | "body" | "text">

/** The body of a request of a server, whose connection may serve another visitor next. */
export interface TakenBody {
  /** Called when the service reads it: in some servers, even looking at the body takes it from the connection. */
  open(): IncomingRequest["body"]
  /**
   * Reads the rest of a body that the service refused or did not need, and drops it. In many servers, a canceled or
   * forgotten body closes or blocks the connection, on which a proxy may have sent the request of another visitor.
   */
  drop(): void
}

/** Bytes of a body that is read at once, if its server knows the length. The default limit of bodies. */
const mostAtOnce = 64 * 1024

/** Bytes that are dropped at most. The stream of a longer body is canceled, which closes the connection in most servers. */
const mostDropped = 64 * 1024 * 1024

const fixed = (body: string | null): TakenBody => ({ open: () => body, drop: () => undefined })

/**
 * Takes the body of a request. Servers deliver as many bytes as `Content-Length` says, so that a short body can be read at
 * once, which their requests do faster than by a stream. The service limits others while it reads them.
 */
export async function takeBody(request: BodySource): Promise<TakenBody> {
  if (request.method === "GET" || request.method === "HEAD") return fixed(null)
  const { headers } = request
  const length = Number(headers.get("content-length"))
  // With a transfer encoding, RFC 9112 section 6.3 ignores the length.
  if (!(length > 0 && length <= mostAtOnce) || headers.has("transfer-encoding")) return toStreamed(request)
  try {
    return fixed(await request.text())
  } catch {
    // The connection broke, or the body was read before. The service refuses the rest of the stream.
    return toStreamed(request)
  }
}

function toStreamed(request: BodySource): TakenBody {
  let isOpened = false
  return {
    open() {
      isOpened = true
      const { body } = request
      return body && !body.locked ? dropOnCancel(body) : body
    },
    drop() {
      // An opened stream was read to its end, or drops the rest when it is canceled.
      if (!isOpened) void dropBody(request)
    },
  }
}

/** Drops a body that nobody has read. The answer does not wait. */
export async function dropBody(request: Pick<Request, "method" | "body">): Promise<void> {
  if (request.method === "GET" || request.method === "HEAD") return
  try {
    const { body } = request
    if (body && !body.locked) await drain(body.getReader())
  } catch {
    // The visitor left, or the platform ended the request with its answer: nothing is left to read.
  }
}

/** The same stream, which drops the rest when it is canceled. */
function dropOnCancel(stream: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = stream.getReader()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      // Not awaited: the answer does not wait for the rest.
      cancel: () => void drain(reader).catch(() => {}),
    },
    { highWaterMark: 0 },
  )
}

async function drain(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  let left = mostDropped
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    left -= next.value.byteLength
    // Not a number for a stream of something else.
    if (!(left >= 0)) return await reader.cancel()
  }
}
