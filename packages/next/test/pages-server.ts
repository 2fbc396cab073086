import type { RequestListener } from "node:http"
import type { NextApiRequest, NextApiResponse } from "next"

type PagesHandler = (request: NextApiRequest, response: NextApiResponse) => Promise<unknown>

/**
 * Calls a handler as the pages router calls an API route: with Node's own objects, the public host in a header, and the
 * body read and parsed.
 */
export function asPagesRouter(handler: PagesHandler): RequestListener {
  return async (request, response) => {
    request.headers["x-forwarded-host"] ??= request.headers.host
    request.headers["x-forwarded-proto"] ??= "http"
    if (!request.url?.startsWith("/api/")) return void response.end("the app")
    const chunks = await request.toArray()
    const bytes = Buffer.concat(chunks)
    // Next's own body limit.
    if (bytes.length > 1024 * 1024) return void response.writeHead(413).end()
    const body = parse(bytes.toString(), request.headers["content-type"])
    if (body === undefined) return void response.writeHead(400).end()
    await handler(Object.assign(request, { body }), response)
  }
}

function parse(text: string, type = ""): unknown {
  if (type.startsWith("application/x-www-form-urlencoded")) return Object.fromEntries(new URLSearchParams(text))
  if (!type.startsWith("application/json")) return text
  try {
    return JSON.parse(text || "{}")
  } catch {
    return undefined
  }
}
