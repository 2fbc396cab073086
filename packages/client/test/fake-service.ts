import { vi } from "vitest"

/** What the browser asked, as far as the contract speaks of it. */
export interface AskedRequest {
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly form: Readonly<Record<string, string>>
  readonly wantsUrl: boolean
}

export interface FakeService {
  readonly asked: readonly AskedRequest[]
  /** How often a path was asked. */
  count(path: string): number
}

type Answers = Readonly<Record<string, (request: AskedRequest) => unknown>>

const challenge = "Y2hhbGxlbmdl"

/** Options for whatever action was asked for, as the service shapes them. */
export function offerFor(action = "authenticate"): unknown {
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
  "/auth/webauthn-options/passkey": ({ query }) => offerFor(query["action"]),
  "/auth/callback/passkey": ({ form }) => ({ url: form["callbackUrl"] }),
}

/** Puts a service in place of the network. An answer is JSON, or a whole response. */
export function fakeService(answers: Answers = {}): FakeService {
  const asked: AskedRequest[] = []
  vi.stubGlobal("fetch", async (address: string, init: RequestInit = {}) => {
    // As the platform does it for a request that was ended.
    if (init.signal?.aborted) throw new DOMException("ended", "AbortError")
    const request = toAskedRequest(address, init)
    asked.push(request)
    const answer = { ...usual, ...answers }[request.path]
    const content = answer ? answer(request) : new Response("no such path", { status: 404 })
    return content instanceof Response ? content : Response.json(content)
  })
  return { asked, count: (path) => asked.filter((request) => request.path === path).length }
}

function toAskedRequest(address: string, init: RequestInit): AskedRequest {
  const url = new URL(address, location.href)
  return {
    method: init.method ?? "GET",
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    form: init.body instanceof URLSearchParams ? Object.fromEntries(init.body) : {},
    wantsUrl: new Headers(init.headers).has("x-auth-return-redirect"),
  }
}
