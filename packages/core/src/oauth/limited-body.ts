import { joinBytes } from "../crypto/join-bytes.js"
import { type EndpointKind, ProviderError } from "./provider-error.js"

export interface BodyLimit {
  readonly maxBytes: number
  readonly endpoint: EndpointKind
  /** Ends the reading. */
  readonly signal: AbortSignal
}

/** Reads a whole body, counting what arrives: `Content-Length` may be absent, or speak of the compressed size. */
export async function readLimitedBody(response: Response, limit: BodyLimit): Promise<Uint8Array<ArrayBuffer>> {
  if (Number(response.headers.get("content-length")) > limit.maxBytes) {
    await response.body?.cancel?.()
    throw tooLarge(limit)
  }
  // A host's own fetch may answer with a body that is not a Web stream.
  if (typeof response.body?.getReader !== "function") return readAtOnce(response, limit)
  return joinBytes(await readChunks(response.body.getReader(), limit))
}

async function readAtOnce(response: Response, limit: BodyLimit): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(await response.arrayBuffer())
  if (bytes.byteLength > limit.maxBytes) throw tooLarge(limit)
  return bytes
}

async function readChunks(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  limit: BodyLimit,
): Promise<readonly Uint8Array[]> {
  const stop = () => void reader.cancel().catch(() => undefined)
  limit.signal.addEventListener("abort", stop, { once: true })
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      size += next.value.byteLength
      if (size > limit.maxBytes) throw tooLarge(limit)
      chunks.push(next.value)
    }
    return chunks
  } catch (error) {
    stop()
    throw error
  } finally {
    limit.signal.removeEventListener("abort", stop)
  }
}

function tooLarge({ endpoint, maxBytes }: BodyLimit): ProviderError {
  return new ProviderError(`The ${endpoint} endpoint answered more than ${maxBytes} bytes`, {
    code: "too-large",
    endpoint,
  })
}
