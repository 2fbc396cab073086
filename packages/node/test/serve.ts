import type { IncomingMessage, ServerResponse } from "node:http"
import { connect } from "node:net"
import { listen } from "@latchkey/testkit/integration"
import { onTestFinished } from "vitest"

export interface Served {
  readonly origin: string
  readonly port: number
}

/** A server on 127.0.0.1 for the length of a test. */
export async function serve(listener: (req: IncomingMessage, res: ServerResponse) => unknown): Promise<Served> {
  const { origin, close } = await listen(listener)
  onTestFinished(close)
  return { origin, port: Number(new URL(origin).port) }
}

/** Sends bytes that no proper client would, and gives back the whole answer. The request should ask to close. */
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
