import type { NodeRequest } from "./node-request.js"
import type { NodeResponse } from "./node-response.js"

/**
 * A request's body as a stream that asks for the next piece only when it is read.
 *
 * Cancelling it throws the rest away and leaves the connection open, so that an answer (413, say) still arrives;
 * `Readable.toWeb` would close the connection. Nothing listens to the request before the first read, so that another
 * reader may still have the body.
 */
export function toBodyStream(request: NodeRequest, response?: NodeResponse): ReadableStream<Uint8Array> {
  let reading: Reading | undefined
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (request.readableEnded) return controller.close()
        if (request.destroyed) return controller.error(brokenOff())
        reading ??= startReading(request, controller, response)
        request.resume()
      },
      cancel() {
        reading?.end()
        request.resume()
      },
    },
    { highWaterMark: 0 },
  )
}

interface Reading {
  end(): void
}

function startReading(
  request: NodeRequest,
  controller: ReadableStreamDefaultController<Uint8Array>,
  response: NodeResponse | undefined,
): Reading {
  const end = () => {
    request.off("data", onPiece)
    request.off("end", onEnd)
    request.off("close", onBreak)
    response?.off("close", onAnswered)
  }
  const onPiece = (piece: Uint8Array) => {
    request.pause()
    controller.enqueue(new Uint8Array(piece))
  }
  const onEnd = () => {
    end()
    controller.close()
  }
  const onBreak = () => {
    end()
    controller.error(brokenOff())
  }
  const onAnswered = () => {
    onBreak()
    request.resume()
  }
  request.pause()
  request.on("data", onPiece)
  request.on("end", onEnd)
  request.on("close", onBreak)
  response?.once("close", onAnswered)
  return { end }
}

function brokenOff(): Error {
  return new Error("The connection closed before the request's body was complete")
}
