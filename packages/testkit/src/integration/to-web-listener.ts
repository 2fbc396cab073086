import type { IncomingMessage, RequestListener } from "node:http"

/** What a framework that speaks `Request` and `Response` does with one request. Undefined: nothing; the answer is 404. */
export type WebListener = (
  request: Request,
  connection: { readonly clientAddress: string | undefined },
) => Promise<Response | undefined>

/** Lets such a function serve on node:http, as barely as it can be done. */
export function toWebListener(answer: WebListener): RequestListener {
  return async (incoming, outgoing) => {
    const request = await toRequest(incoming)
    const clientAddress = incoming.socket.remoteAddress
    const response = (await answer(request, { clientAddress })) ?? new Response("the app", { status: 404 })
    const cookies = response.headers.getSetCookie()
    outgoing.writeHead(response.status, { ...Object.fromEntries(response.headers), "set-cookie": cookies })
    outgoing.end(incoming.method === "HEAD" ? undefined : new Uint8Array(await response.arrayBuffer()))
  }
}

async function toRequest(incoming: IncomingMessage): Promise<Request> {
  const chunks = await incoming.toArray()
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming.headers)) headers.set(name, String(value))
  const body = chunks.length > 0 ? Buffer.concat(chunks) : null
  return new Request(`http://${incoming.headers.host}${incoming.url}`, {
    method: incoming.method ?? "GET",
    headers,
    body,
  })
}
