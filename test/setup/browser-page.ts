import { Window } from "happy-dom"
import { type Mock, vi } from "vitest"
import { type TestHost, type TestHostOptions, testHost } from "../../packages/testkit/src/index.js"
import { stubChannels } from "./page-channels.js"

/** A page at `https://app.test/page`, as globals, with a real service behind `fetch`. */
export interface BrowserPage {
  readonly host: TestHost
  readonly document: Document
  /** Requests, such as `GET /auth/session`. */
  readonly requests: string[]
  /** `location.assign`. */
  readonly assign: Mock<(url: string) => void>
  /** Waits until the requests of the page have finished. */
  settle(): Promise<void>
}

/** A credentials provider that accepts the password `correct horse`. */
const password: NonNullable<TestHostOptions["providers"]> = [
  {
    id: "credentials",
    name: "Password",
    type: "credentials",
    credentials: { username: {}, password: { type: "password" } },
    authorize: ({ password: typed }) => (typed === "correct horse" ? { id: "1815", name: "Ada Lovelace" } : null),
  },
]

/** The fields of a form that signs `ada` in. */
export const adaFields = { username: "ada", password: "correct horse" } as const

/** Options that sign `ada` in and stay on the page. */
export const validLogin = { ...adaFields, redirect: false } as const

export function openBrowserPage(basePath = "/auth", options: TestHostOptions = {}): BrowserPage {
  const host = testHost({
    basePath,
    providers: password,
    ...options,
    callbacks: { jwt: ({ token, session }) => (session ? { ...token, ...session } : token) },
  })
  const window = new Window({ url: "https://app.test/page" })
  const globals = window as unknown as typeof globalThis // happy-dom's own types conflict with those of Node.
  const { document, location } = globals
  const assign = vi.fn<(url: string) => void>()
  vi.spyOn(location, "assign").mockImplementation((url) => assign(String(url)))
  for (const [name, value] of Object.entries({ window, document, location })) vi.stubGlobal(name, value)
  stubChannels()
  const requests: string[] = []
  const pending = new Set<PageRequest>()
  vi.stubGlobal("fetch", async (address: string, { method = "GET", body, headers }: RequestInit) => {
    const url = new URL(address, "https://app.test")
    const request = { name: `${method} ${url.pathname}` }
    requests.push(request.name)
    pending.add(request)
    try {
      return await host.browser.fetch(url, {
        method,
        headers: Object.fromEntries(new Headers(headers)),
        ...((body instanceof URLSearchParams || typeof body === "string") && { body }),
      })
    } finally {
      pending.delete(request)
    }
  })
  const settle = () => settleRequests(pending)
  return { host, document, requests, assign, settle }
}

interface PageRequest {
  readonly name: string
}

const turnMs = 5

/**
 * Waits until no request has been under way for some turns of the event loop: a response may cause another request.
 * @throws Error with the requests that have not finished within five seconds
 */
async function settleRequests(pending: ReadonlySet<PageRequest>): Promise<void> {
  const deadline = Date.now() + 5_000
  for (let quietTurns = 0; quietTurns < 6; ) {
    if (Date.now() > deadline)
      throw new Error(`The page is still sending requests: ${[...pending].map(({ name }) => name).join(", ")}`)
    await new Promise((resolve) => setTimeout(resolve, turnMs))
    quietTurns = pending.size === 0 ? quietTurns + 1 : 0
  }
}
