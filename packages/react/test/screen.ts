import { type TestHost, type TestHostOptions, testHost } from "@latchkey/testkit"
import { Window } from "happy-dom"
import { act, type ReactNode } from "react"
import type { Root } from "react-dom/client"
import { type Mock, vi } from "vitest"

/** A rendered app at `https://app.test/page`, backed by a real service. */
export interface Screen {
  readonly host: TestHost
  /** Requests, such as `GET /auth/session`. */
  readonly requests: string[]
  /** `location.assign`. */
  readonly assign: Mock<(url: string) => void>
  /** Renders an app, or updates it. */
  render(app: ReactNode): Promise<void>
  /** Hydrates what a server rendered. */
  hydrate(app: ReactNode, html: string): Promise<void>
  text(): string
  /** Runs an action and waits until its requests have finished. */
  act<T>(action: () => T | Promise<T>): Promise<T>
  /** React's recoverable errors, such as a hydration mismatch. */
  readonly onRecoverableError: Mock<(error: unknown) => void>
  close(): Promise<void>
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

/** Options that sign `ada` in and stay on the page. */
export const validLogin = { username: "ada", password: "correct horse", redirect: false } as const

export function openScreen(basePath = "/auth", options: TestHostOptions = {}): Screen {
  const host = testHost({
    basePath,
    providers: password,
    ...options,
    callbacks: { jwt: ({ token, session }) => (session ? { ...token, ...session } : token) },
  })
  const window = new Window({ url: "https://app.test/page" })
  const { document, location } = window as unknown as typeof globalThis // happy-dom's own types conflict with those of Node.
  const assign = vi.fn<(url: string) => void>()
  vi.spyOn(location, "assign").mockImplementation((url) => assign(String(url)))
  for (const [name, value] of Object.entries({ window, document, location })) vi.stubGlobal(name, value)
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true)
  const requests: string[] = []
  vi.stubGlobal("fetch", (address: string, { method = "GET", body, headers }: RequestInit) => {
    const url = new URL(address, "https://app.test")
    requests.push(`${method} ${url.pathname}`)
    return host.browser.fetch(url, {
      method,
      headers: Object.fromEntries(new Headers(headers)),
      ...((body instanceof URLSearchParams || typeof body === "string") && { body }),
    })
  })
  return { host, requests, assign, ...show(document) }
}

function show(document: Document): Omit<Screen, "host" | "requests" | "assign"> {
  const element = document.body.appendChild(document.createElement("main"))
  const onRecoverableError = vi.fn<(error: unknown) => void>()
  const roots: Root[] = []
  const actAndWait = async <T>(action: () => T | Promise<T>): Promise<T> => {
    const result = await act(async () => action())
    // In-memory requests finish within a few turns of the event loop.
    for (let turn = 0; turn < 5; turn++) await act(() => new Promise((resolve) => setTimeout(resolve, 5)))
    return result
  }
  return {
    render: async (app) => {
      const { createRoot } = await import("react-dom/client")
      if (roots.length === 0) roots.push(createRoot(element))
      await actAndWait(() => roots[0]?.render(app))
    },
    hydrate: async (app, html) => {
      const { hydrateRoot } = await import("react-dom/client")
      element.innerHTML = html
      await actAndWait(() => {
        roots.push(hydrateRoot(element, app, { onRecoverableError }))
      })
    },
    text: () => element.textContent ?? "",
    act: actAndWait,
    onRecoverableError,
    close: () => act(async () => roots[0]?.unmount()),
  }
}
