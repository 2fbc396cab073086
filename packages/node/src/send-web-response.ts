import type { NodeResponse } from "./node-response.js"

/** These belong to a connection, and the connection is Node's. HTTP/2 forbids them, RFC 9113 section 8.2.2. */
const connectionHeaders: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "transfer-encoding",
  "upgrade",
])

/**
 * Writes a Web `Response` to a response of node:http (or HTTP/2) and waits until it is written, or the client is gone.
 *
 * Cookies are added to those that were set before; other headers replace those of the same name. The body is written as
 * fast as the client takes it, and not at all for `HEAD`.
 * @throws what the body's stream throws, after the connection was cut: a client must not take half a page for a whole
 *   one
 */
export async function sendWebResponse(response: Response, target: NodeResponse): Promise<void> {
  if (target.headersSent || target.destroyed) return await discard(response)
  target.statusCode = response.status
  response.headers.forEach((value, name) => {
    if (name === "set-cookie") target.appendHeader(name, value)
    else if (!connectionHeaders.has(name)) target.setHeader(name, value)
  })
  if (target.req.method === "HEAD") await discard(response)
  else if (response.body) await writeBody(response.body, target)
  target.end()
}

async function discard(response: Response): Promise<void> {
  await response.body?.cancel()
}

async function writeBody(body: ReadableStream<Uint8Array>, target: NodeResponse): Promise<void> {
  const reader = body.getReader()
  const leave = () => {
    reader.cancel().catch(() => {}) // Nobody is left to be told.
  }
  target.once("close", leave)
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      if (!target.write(next.value)) await drained(target)
    }
  } catch (error) {
    target.destroy()
    throw error
  } finally {
    target.off("close", leave)
  }
}

function drained(target: NodeResponse): Promise<void> {
  if (target.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    const settle = () => {
      target.off("drain", settle)
      target.off("close", settle)
      resolve()
    }
    target.once("drain", settle)
    target.once("close", settle)
  })
}
