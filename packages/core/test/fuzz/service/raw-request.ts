import { fromLatin1, toLatin1 } from "../engine/target.js"

/** A request as text: a method and a path, header lines, an empty line, the body. */
export interface RawRequest {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export function writeRequest({ method, path, headers = {}, body = "" }: RawRequest): Uint8Array {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return fromLatin1([`${method} ${path}`, ...lines, "", body].join("\n"))
}

/** Null for text that is not valid HTTP. */
export function readRequest(input: Uint8Array, origin: string): Request | null {
  const text = toLatin1(input)
  const headEnd = text.indexOf("\n\n")
  const [first = "", ...lines] = (headEnd < 0 ? text : text.slice(0, headEnd)).split("\n")
  const [method = "GET", path = "/"] = first.split(" ")
  const body = headEnd < 0 ? new Uint8Array() : input.slice(headEnd + 2)
  try {
    const headers = new Headers(lines.filter((line) => line.includes(":")).map(toPair))
    const hasBody = method !== "GET" && method !== "HEAD" && body.length > 0
    const stream = hasBody ? toStream(body, headers.get("x-fuzz-body")) : null
    return new Request(`${origin}/${path.replace(/^\/+/, "")}`, {
      method,
      headers,
      body: stream,
      duplex: "half",
    } as RequestInit) // as: `duplex` is not in every declaration of RequestInit
  } catch {
    return null
  }
}

function toPair(line: string): [string, string] {
  const colon = line.indexOf(":")
  return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()]
}

const chunkLength = 37

/** In small chunks that split characters; `broken` ends with an error. */
function toStream(body: Uint8Array, kind: string | null): ReadableStream<Uint8Array> {
  const end = kind === "broken" ? body.length >> 1 : body.length
  let at = 0
  return new ReadableStream({
    pull(controller) {
      if (at < end) controller.enqueue(body.slice(at, Math.min(end, at + chunkLength)))
      else if (kind === "broken") controller.error(new Error("Connection lost"))
      else controller.close()
      at += chunkLength
    },
  })
}
