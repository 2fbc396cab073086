/** @jsxImportSource react */
import { readFileSync } from "node:fs"
import { AuthClientError, type Session } from "@latchkey/client"
import { lazy, type ReactNode, StrictMode, Suspense } from "react"
import { renderToString } from "react-dom/server"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { validLogin } from "../../../../test/setup/browser-page.js"
import * as exported from "../../src/index.js"
import {
  configureAuth,
  getCsrfToken,
  getProviders,
  getSession,
  SessionContext,
  SessionProvider,
  SignedIn,
  SignedOut,
  signIn,
  signOut,
  useSession,
} from "../../src/index.js"
import { openScreen, type Screen } from "../screen.js"

// React against the real service, in a document, in StrictMode.

const session: Session = { user: { name: "Ada Lovelace" }, expires: "2999-01-01T00:00:00.000Z" }
const read = "GET /auth/session"

let screen: Screen
let renders: string[]
let sessions: unknown[]
let update: (data?: unknown) => Promise<Session | null>

beforeEach(() => {
  screen = openScreen()
  renders = []
  sessions = []
})
afterEach(async () => {
  await screen.close()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

function SessionText(): ReactNode {
  const { data, status, update: own } = useSession()
  update = own
  const text = `${status}: ${data?.user?.name ?? "anonymous"}`
  renders.push(text)
  sessions.push(data)
  return <p>{text}</p>
}

function Members({ onUnauthenticated }: { readonly onUnauthenticated?: () => void }): ReactNode {
  const { status } = useSession({ required: true, ...(onUnauthenticated && { onUnauthenticated }) })
  return <p>{status}</p>
}

function SessionError(): ReactNode {
  const { status, error } = useSession()
  return <p>{`${status}, ${error?.name}`}</p>
}

const app = (inside: ReactNode, options: Omit<Parameters<typeof SessionProvider>[0], "children"> = {}): ReactNode => (
  <StrictMode>
    <SessionProvider basePath="/auth" {...options}>
      {inside}
    </SessionProvider>
  </StrictMode>
)

describe("useSession", () => {
  it("throws outside a SessionProvider", () => {
    expect(() => renderToString(<SessionText />)).toThrow("<SessionProvider>")
  })

  it("sends one request for all components", async () => {
    await screen.render(app([<SessionText key="1" />, <SessionText key="2" />]))
    expect(screen.text()).toBe("unauthenticated: anonymousunauthenticated: anonymous")
    expect(screen.requests).toEqual([read])
    expect(renders[0]).toBe("loading: anonymous")
  })

  it("has undefined as its data while it loads, and null if no one is signed in", async () => {
    await screen.render(app(<SessionText />))
    expect([sessions[0], sessions.at(-1)]).toEqual([undefined, null])
  })

  it("follows a sign-in, an update and a sign-out without flicker", async () => {
    await screen.render(app(<SessionText />))
    await screen.act(() => signIn("credentials", validLogin))
    expect(screen.text()).toBe("authenticated: Ada Lovelace")
    renders = []
    sessions = []
    expect((await screen.act(() => update({ name: "Countess Ada" })))?.user?.name).toBe("Countess Ada")
    await screen.act(() => signOut({ redirect: false }))
    expect(screen.text()).toBe("unauthenticated: anonymous")
    expect([...new Set(renders)]).toEqual(["authenticated: Countess Ada", "unauthenticated: anonymous"])
    expect(screen.requests.filter((request) => request === read)).toHaveLength(2)
  })

  it("stays loading with an error if the service is unreachable", async () => {
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")))
    await screen.render(app(<SessionError />))
    expect(screen.text()).toBe("loading, AuthClientError")
  })
})

describe("SignedIn and SignedOut", () => {
  const either = (): ReactNode =>
    app([<SignedIn key="1">account</SignedIn>, <SignedOut key="2">please sign in</SignedOut>])

  it("show what is inside to one or the other", async () => {
    await screen.render(either())
    expect(screen.text()).toBe("please sign in")
    await screen.act(() => signIn("credentials", validLogin))
    expect(screen.text()).toBe("account")
  })

  it("show nothing before the session is known", async () => {
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")))
    await screen.render(either())
    expect(screen.text()).toBe("")
  })
})

describe("useSession with `required`", () => {
  it("does not redirect before the session is known", async () => {
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")))
    await screen.render(app(<Members />))
    expect([screen.text(), screen.assign.mock.calls]).toEqual(["loading", []])
  })

  it("stays loading and redirects to the sign-in page if no one is signed in", async () => {
    await screen.render(app(<Members />))
    expect(screen.text()).toBe("loading")
    const query = new URLSearchParams({ error: "SessionRequired", callbackUrl: "https://app.test/page" })
    expect(new Set(screen.assign.mock.calls.flat())).toEqual(new Set([`https://app.test/auth/signin?${query}`]))
  })

  it("calls onUnauthenticated instead, also after a later sign-out", async () => {
    const onUnauthenticated = vi.fn()
    await screen.act(() => signIn("credentials", validLogin))
    await screen.render(app(<Members onUnauthenticated={onUnauthenticated} />))
    expect(screen.text()).toBe("authenticated")
    expect(onUnauthenticated).not.toHaveBeenCalled()
    await screen.act(() => signOut({ redirect: false }))
    expect(onUnauthenticated).toHaveBeenCalledOnce()
    expect([screen.text(), screen.assign.mock.calls]).toEqual(["loading", []])
  })
})

describe("SessionProvider", () => {
  it("sends no request if no component shows the session", async () => {
    await screen.render(app(<p>Hello</p>))
    expect([screen.text(), screen.requests]).toEqual(["Hello", []])
  })

  it("keeps the session alive on pages that do not show it", async () => {
    await screen.act(() => signIn("credentials", validLogin))
    await screen.render(app(<p>Hello</p>, { session, refetchInterval: 0.01 }))
    expect(screen.requests).toContain(read)
    await screen.render(app(<p>Hello</p>, { session, refetchInterval: 0 }))
    screen.requests.length = 0
    await screen.act(() => undefined)
    expect(screen.requests).toEqual([])
  })

  it("sends no request if the server has read the session, and hydrates the server's HTML", async () => {
    const html = renderToString(app(<SessionText />, { session }))
    expect(html).toContain("authenticated: Ada Lovelace")
    await screen.hydrate(app(<SessionText />, { session }), html)
    expect([screen.text(), screen.requests, screen.onRecoverableError.mock.calls]).toEqual([
      "authenticated: Ada Lovelace",
      [],
      [],
    ])
  })

  it("renders as loading on a server without the session, sends no request there, and hydrates", async () => {
    const html = renderToString(app(<SessionText />))
    expect([html, screen.requests]).toEqual(["<p>loading: anonymous</p>", []])
    await screen.hydrate(app(<SessionText />), html)
    expect([screen.text(), screen.onRecoverableError.mock.calls]).toEqual(["unauthenticated: anonymous", []])
  })

  it("hydrates a late component with the server's session, and then shows a change", async () => {
    const [early, arrival] = [<SessionText key="early" />, Promise.withResolvers<{ default: typeof SessionText }>()]
    const Late = lazy(() => arrival.promise)
    const inside = (late: ReactNode): ReactNode => [early, <Suspense key="late">{late}</Suspense>]
    const html = renderToString(app(inside(<SessionText />), { session }))
    await screen.hydrate(app(inside(<Late />), { session }), html)
    await screen.act(() => signOut({ redirect: false }))
    expect(screen.text()).toBe("unauthenticated: anonymousauthenticated: Ada Lovelace")
    await screen.act(() => arrival.resolve({ default: SessionText }))
    expect(screen.text()).toBe("unauthenticated: anonymousunauthenticated: anonymous")
    expect(screen.onRecoverableError.mock.calls).toEqual([])
  })

  it("shows a later session of the server, and ignores one that it has passed before", async () => {
    await screen.render(app(<SessionText />, { session: null }))
    await screen.render(app(<SessionText />, { session: { ...session } }))
    expect(screen.text()).toBe("authenticated: Ada Lovelace")
    await screen.act(() => signOut({ redirect: false }))
    await screen.render(app(<SessionText />, { session: { ...session } }))
    expect(screen.text()).toBe("unauthenticated: anonymous")
  })
})

describe("the client functions", () => {
  it("use the base path of the SessionProvider", async () => {
    await screen.render(app(<SessionText />))
    expect(Object.keys(await getProviders())).toEqual(["credentials"])
    expect(await getCsrfToken()).toMatch(/^[0-9a-f]{64}$/)
    expect(await getSession()).toBeNull()
    expect(screen.requests.filter((request) => !request.includes(" /auth/"))).toEqual([])
  })

  it("use /api/auth by default", async () => {
    vi.resetModules()
    const fresh = await import("../../src/index.js")
    await screen.close()
    screen = openScreen("/api/auth")
    expect(await fresh.getSession()).toBeNull()
    expect(screen.requests).toEqual(["GET /api/auth/session"])
    fresh.configureAuth({ basePath: "/elsewhere" })
    await expect(fresh.getSession()).rejects.toThrow()
    expect(configureAuth).not.toBe(fresh.configureAuth)
  })
})

describe("SessionContext", () => {
  const value = { status: "authenticated", data: session, error: undefined, update: async () => session } as const

  it("gives a fixed session to the components inside it, without a SessionProvider or a request", () => {
    const html = renderToString(
      <SessionContext.Provider value={value}>
        <SessionText />
      </SessionContext.Provider>,
    )
    expect(html).toContain("Ada Lovelace")
    expect(screen.requests).toEqual([])
  })

  it("takes precedence over a SessionProvider", () => {
    const inner = (
      <SessionContext.Provider value={value}>
        <SessionText />
      </SessionContext.Provider>
    )
    expect(renderToString(app(inner, { session: null }))).toContain("Ada Lovelace")
  })
})

describe("@latchkey/react", () => {
  it("exports the documented names", () => {
    const functions = [
      "configureAuth",
      "getCsrfToken",
      "getProviders",
      "getSession",
      "signIn",
      "signInWithAutofill",
      "signOut",
      "submitCode",
    ]
    const hooks = ["useCodeForm", "useSession"]
    const names = [
      ...functions,
      ...hooks,
      "AuthClientError",
      "SessionContext",
      "SessionProvider",
      "SignedIn",
      "SignedOut",
    ]
    expect(Object.keys(exported).sort()).toEqual(names.sort())
  })

  it("exports the client's own AuthClientError, so that instanceof works", () => {
    expect(exported.AuthClientError).toBe(AuthClientError)
  })

  it('begins with "use client", as React Server Components require', () => {
    expect(readFileSync(new URL("../../src/index.ts", import.meta.url), "utf8")).toMatch(/^"use client"\n/)
  })
})
