import type { Incoming } from "./incoming.js"
import { readIncoming } from "./incoming.js"

interface ProviderFetchNeeds {
  readonly isOwn: (url: URL) => boolean
  readonly answer: (request: Request) => Promise<Response>
  readonly record: (incoming: Incoming) => void
}

/**
 * A `fetch` that reaches the identity provider alone. Requests to other addresses are written down and fail as if
 * nobody answered there. Ends when the caller aborts, and treats redirects as the caller asks.
 */
export function createProviderFetch({ isOwn, answer, record }: ProviderFetchNeeds): typeof fetch {
  async function reach(request: Request): Promise<Response> {
    if (isOwn(new URL(request.url))) return untilAborted(request.signal, answer(request))
    record(await readIncoming(request, "elsewhere"))
    throw new TypeError("fetch failed: nobody answers at this address")
  }

  return async function providerFetch(input, init) {
    const request = new Request(input, init)
    request.signal.throwIfAborted()
    const mode = init?.redirect ?? request.redirect
    const response = await reach(request)
    const location = response.headers.get("location")
    const isRedirect = response.status >= 300 && response.status < 400 && location !== null
    if (!isRedirect || mode === "manual") return response
    if (mode === "error") throw new TypeError("fetch failed: unexpected redirect")
    return reach(new Request(new URL(location, request.url), { signal: request.signal }))
  }
}

function untilAborted(signal: AbortSignal, answer: Promise<Response>): Promise<Response> {
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true })
  })
  return Promise.race([answer, aborted])
}
