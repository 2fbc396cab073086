import { type TestHost, type TestHostOptions, testHost } from "@latchkey/testkit"
import { Window } from "happy-dom"
import { act, type ReactNode } from "react"
import type { Root } from "react-dom/client"
import { type Mock, vi } from "vitest"

/** What somebody sees of an app, at `https://app.test/page`, with the service at `/auth` behind it. */
export interface Screen {
  readonly host: TestHost
  /** What was asked, as `GET /auth/session`. */
  readonly asked: string[]
  /** Where the page was sent. */
  readonly assign: Mock<(url: string) => void>
  /** Shows an app, or the same one with other properties. */
  render(app: ReactNode): Promise<void>
  /** Takes over what a server rendered. */
  hydrate(app: ReactNode, html: string): Promise<void>
  text(): string
  /** Does something, and waits for what comes of it. */
  does<T>(action: () => T | Promise<T>): Promise<T>
  /** Tells of mistakes that React found, such as HTML that does not fit. */
  readonly mistakes: Mock<(error: unknown) => void>
  close(): Promise<void>
}

/** Lets `ada` in with `correct horse`. */
const password: NonNullable<TestHostOptions["providers"]> = [
  {
    id: "credentials",
    name: "Password",
    type: "credentials",
    credentials: { username: {}, password: { type: "password" } },
    authorize: ({ password: typed }) => (typed === "correct horse" ? { id: "1815", name: "Ada Lovelace" } : null),
  },
]

/** What lets `ada` in without leaving the page. */
export const right = { username: "ada", password: "correct horse", redirect: false } as const

export function openScreen(basePath = "/auth"): Screen {
  const host = testHost({
    basePath,
    providers: password,
    callbacks: { jwt: ({ token, session }) => (session ? { ...token, ...session } : token) },
  })
  const window = new Window({ url: "https://app.test/page" })
  const { document, location } = window as unknown as typeof globalThis // Its own types do not compile with those of Node.
  const assign = vi.fn<(url: string) => void>()
  vi.spyOn(location, "assign").mockImplementation((url) => assign(String(url)))
  for (const [name, value] of Object.entries({ window, document, location })) vi.stubGlobal(name, value)
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true)
  const asked: string[] = []
  vi.stubGlobal("fetch", (address: string, { method = "GET", body, headers }: RequestInit) => {
    const url = new URL(address, "https://app.test")
    asked.push(`${method} ${url.pathname}`)
    return host.browser.fetch(url, {
      method,
      headers: Object.fromEntries(new Headers(headers)),
      ...((body instanceof URLSearchParams || typeof body === "string") && { body }),
    })
  })
  return { host, asked, assign, ...show(document) }
}

function show(document: Document): Omit<Screen, "host" | "asked" | "assign"> {
  const element = document.body.appendChild(document.createElement("main"))
  const mistakes = vi.fn<(error: unknown) => void>()
  const roots: Root[] = []
  const does = async <T>(action: () => T | Promise<T>): Promise<T> => {
    const result = await act(async () => action())
    // Requests in memory end within a few turns of the loop.
    for (let turn = 0; turn < 5; turn++) await act(() => new Promise((resolve) => setTimeout(resolve, 5)))
    return result
  }
  return {
    render: async (app) => {
      const { createRoot } = await import("react-dom/client")
      if (roots.length === 0) roots.push(createRoot(element))
      await does(() => roots[0]?.render(app))
    },
    hydrate: async (app, html) => {
      const { hydrateRoot } = await import("react-dom/client")
      element.innerHTML = html
      await does(() => {
        roots.push(hydrateRoot(element, app, { onRecoverableError: mistakes }))
      })
    },
    text: () => element.textContent ?? "",
    does,
    mistakes,
    close: () => act(async () => roots[0]?.unmount()),
  }
}
