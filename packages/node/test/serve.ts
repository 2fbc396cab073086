import type { IncomingMessage, ServerResponse } from "node:http"
import { connect } from "node:net"
import { listen } from "@latchkey/testkit/integration"
import { onTestFinished } from "vitest"

export interface Served {
  readonly origin: string
  readonly port: number
}

/** Starts a server on 127.0.0.1 and closes it after the test. */
export async function serve(listener: (req: IncomingMessage, res: ServerResponse) => unknown): Promise<Served> {
  const { origin, close } = await listen(listener)
  onTestFinished(close)
  return { origin, port: Number(new URL(origin).port) }
}

/** Sends raw bytes and returns the whole response. The request has to ask for the connection to be closed. */
export function sendRaw(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = ""
    const socket = connect(port, "127.0.0.1", () => socket.write(text))
    socket.on("data", (piece) => {
      answer += piece.toString("latin1")
    })
    socket.on("error", reject)
    socket.on("close", () => resolve(answer))
  })
}

/** The text of a GET request that asks to close the connection. */
export const get = (path = "/") => `GET ${path} HTTP/1.1\r\nHost: app.test\r\nConnection: close\r\n\r\n`

/** A response whose body fails after its first chunk. */
export function breaking(failure: Error): Response {
  const pieces = [new TextEncoder().encode("half")]
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = pieces.pop()
      if (piece) controller.enqueue(piece)
      else controller.error(failure)
    },
  })
  return new Response(body)
}

/** The cookies of a response, as a request sends them back. */
export const cookiesOf = (response: Response): string =>
  response.headers
    .getSetCookie()
    .map((line) => line.split(";", 1)[0])
    .join("; ")
