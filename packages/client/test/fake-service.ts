import { vi } from "vitest"

/** A request of the browser. */
export interface SentRequest {
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly form: Readonly<Record<string, string>>
  readonly wantsUrl: boolean
}

export interface FakeService {
  readonly requests: readonly SentRequest[]
  /** Counts the requests for a path. */
  count(path: string): number
}

type Answers = Readonly<Record<string, (request: SentRequest) => unknown>>

const challenge = "Y2hhbGxlbmdl"

/** WebAuthn options for an action, in the service's format. */
export function optionsFor(action = "authenticate"): unknown {
  const request = { challenge, timeout: 300_000, rpId: "app.test", allowCredentials: [], userVerification: "required" }
  const creation = {
    challenge,
    rp: { id: "app.test", name: "App" },
    user: { id: "dXNlcg", name: "ada@app.test", displayName: "Ada" },
    pubKeyCredParams: [{ alg: -7, type: "public-key" }],
    excludeCredentials: [],
  }
  return { action, options: action === "register" ? creation : request }
}

const usual: Answers = {
  "/auth/csrf": () => ({ csrfToken: "t0ken" }),
  "/auth/webauthn-options/passkey": ({ query }) => optionsFor(query["action"]),
  "/auth/callback/passkey": ({ form }) => ({ url: form["callbackUrl"] }),
}

/** Stubs `fetch` with a service. An answer is JSON content or a `Response`. */
export function fakeService(answers: Answers = {}): FakeService {
  const requests: SentRequest[] = []
  vi.stubGlobal("fetch", async (address: string, init: RequestInit = {}) => {
    // As browsers do for an aborted request.
    if (init.signal?.aborted) throw new DOMException("aborted", "AbortError")
    const request = toSentRequest(address, init)
    requests.push(request)
    const answer = { ...usual, ...answers }[request.path]
    const content = answer ? answer(request) : new Response("no such path", { status: 404 })
    return content instanceof Response ? content : Response.json(content)
  })
  return { requests, count: (path) => requests.filter((request) => request.path === path).length }
}

function toSentRequest(address: string, init: RequestInit): SentRequest {
  const url = new URL(address, location.href)
  return {
    method: init.method ?? "GET",
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    form: init.body instanceof URLSearchParams ? Object.fromEntries(init.body) : {},
    wantsUrl: new Headers(init.headers).has("x-auth-return-redirect"),
  }
}
