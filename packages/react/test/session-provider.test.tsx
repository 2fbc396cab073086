/** @jsxImportSource react */
import type { Session } from "@latchkey/client"
import { lazy, type ReactNode, StrictMode, Suspense } from "react"
import { renderToString } from "react-dom/server"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import {
  configureAuth,
  getCsrfToken,
  getProviders,
  getSession,
  SessionProvider,
  signIn,
  signOut,
  useSession,
} from "../src/index.js"
import { openScreen, right, type Screen } from "./screen.js"

// React's side against the service itself, in a document, in StrictMode.

const session: Session = { user: { name: "Ada Lovelace" }, expires: "2999-01-01T00:00:00.000Z" }
const read = "GET /auth/session"

let screen: Screen
let renders: string[]
let update: (data?: unknown) => Promise<Session | null>

beforeEach(() => {
  screen = openScreen()
  renders = []
})
afterEach(async () => {
  await screen.close()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

function Who(): ReactNode {
  const { data, status, update: own } = useSession()
  update = own
  const text = `${status}: ${data?.user?.name ?? "nobody"}`
  renders.push(text)
  return <p>{text}</p>
}

function Members({ onUnauthenticated }: { readonly onUnauthenticated?: () => void }): ReactNode {
  const { status } = useSession({ required: true, ...(onUnauthenticated && { onUnauthenticated }) })
  return <p>{status}</p>
}

function Trouble(): ReactNode {
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
  it("says what is missing outside of a provider", () => {
    expect(() => renderToString(<Who />)).toThrow("<SessionProvider>")
  })

  it("asks once for all who show the session", async () => {
    await screen.render(app([<Who key="1" />, <Who key="2" />]))
    expect(screen.text()).toBe("unauthenticated: nobodyunauthenticated: nobody")
    expect(screen.asked).toEqual([read])
    expect(renders[0]).toBe("loading: nobody")
  })

  it("follows signing in, an update and signing out, without flicker", async () => {
    await screen.render(app(<Who />))
    await screen.does(() => signIn("credentials", right))
    expect(screen.text()).toBe("authenticated: Ada Lovelace")
    renders = []
    expect((await screen.does(() => update({ name: "Countess Ada" })))?.user?.name).toBe("Countess Ada")
    await screen.does(() => signOut({ redirect: false }))
    expect(screen.text()).toBe("unauthenticated: nobody")
    expect([...new Set(renders)]).toEqual(["authenticated: Countess Ada", "unauthenticated: nobody"])
    expect(screen.asked.filter((request) => request === read)).toHaveLength(2)
  })

  it("says that the service cannot be reached, and does not say that nobody is signed in", async () => {
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")))
    await screen.render(app(<Trouble />))
    expect(screen.text()).toBe("loading, AuthClientError")
  })
})

describe("useSession with `required`", () => {
  it("sends nobody anywhere before it is known who it is", async () => {
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")))
    await screen.render(app(<Members />))
    expect([screen.text(), screen.assign.mock.calls]).toEqual(["loading", []])
  })

  it("shows nobody as loading, and goes to the sign-in page and back", async () => {
    await screen.render(app(<Members />))
    expect(screen.text()).toBe("loading")
    const query = new URLSearchParams({ error: "SessionRequired", callbackUrl: "https://app.test/page" })
    expect(new Set(screen.assign.mock.calls.flat())).toEqual(new Set([`https://app.test/auth/signin?${query}`]))
  })

  it("calls its own function instead, also when somebody signs out later", async () => {
    const onUnauthenticated = vi.fn()
    await screen.does(() => signIn("credentials", right))
    await screen.render(app(<Members onUnauthenticated={onUnauthenticated} />))
    expect(screen.text()).toBe("authenticated")
    expect(onUnauthenticated).not.toHaveBeenCalled()
    await screen.does(() => signOut({ redirect: false }))
    expect(onUnauthenticated).toHaveBeenCalledOnce()
    expect([screen.text(), screen.assign.mock.calls]).toEqual(["loading", []])
  })
})

describe("SessionProvider", () => {
  it("asks for nothing while nobody shows the session", async () => {
    await screen.render(app(<p>Hello</p>))
    expect([screen.text(), screen.asked]).toEqual(["Hello", []])
  })

  it("keeps a session alive on pages that do not show it", async () => {
    await screen.does(() => signIn("credentials", right))
    await screen.render(app(<p>Hello</p>, { session, refetchInterval: 0.01 }))
    expect(screen.asked).toContain(read)
    await screen.render(app(<p>Hello</p>, { session, refetchInterval: 0 }))
    screen.asked.length = 0
    await screen.does(() => undefined)
    expect(screen.asked).toEqual([])
  })

  it("asks for nothing when the server has said it, and hydrates what the server rendered", async () => {
    const html = renderToString(app(<Who />, { session }))
    expect(html).toContain("authenticated: Ada Lovelace")
    await screen.hydrate(app(<Who />, { session }), html)
    expect([screen.text(), screen.asked, screen.mistakes.mock.calls]).toEqual(["authenticated: Ada Lovelace", [], []])
  })

  it("renders as loading on a server that does not say it, asks nothing there, and hydrates", async () => {
    const html = renderToString(app(<Who />))
    expect([html, screen.asked]).toEqual(["<p>loading: nobody</p>", []])
    await screen.hydrate(app(<Who />), html)
    expect([screen.text(), screen.mistakes.mock.calls]).toEqual(["unauthenticated: nobody", []])
  })

  it("hydrates as the server rendered it what arrives after a change, and then shows the change", async () => {
    const [early, arrival] = [<Who key="early" />, Promise.withResolvers<{ default: typeof Who }>()]
    const Late = lazy(() => arrival.promise)
    const inside = (late: ReactNode): ReactNode => [early, <Suspense key="late">{late}</Suspense>]
    const html = renderToString(app(inside(<Who />), { session }))
    await screen.hydrate(app(inside(<Late />), { session }), html)
    await screen.does(() => signOut({ redirect: false }))
    expect(screen.text()).toBe("unauthenticated: nobodyauthenticated: Ada Lovelace")
    await screen.does(() => arrival.resolve({ default: Who }))
    expect(screen.text()).toBe("unauthenticated: nobodyunauthenticated: nobody")
    expect(screen.mistakes.mock.calls).toEqual([])
  })

  it("shows what the server says later, and is not set back by what it has said before", async () => {
    await screen.render(app(<Who />, { session: null }))
    await screen.render(app(<Who />, { session: { ...session } }))
    expect(screen.text()).toBe("authenticated: Ada Lovelace")
    await screen.does(() => signOut({ redirect: false }))
    await screen.render(app(<Who />, { session: { ...session } }))
    expect(screen.text()).toBe("unauthenticated: nobody")
  })
})

describe("the functions", () => {
  it("ask where the provider says, for components and for all else", async () => {
    await screen.render(app(<Who />))
    expect(Object.keys(await getProviders())).toEqual(["credentials"])
    expect(await getCsrfToken()).toMatch(/^[0-9a-f]{64}$/)
    expect(await getSession()).toBeNull()
    expect(screen.asked.filter((request) => !request.includes(" /auth/"))).toEqual([])
  })

  it("ask at /api/auth where nobody says anything", async () => {
    vi.resetModules()
    const fresh = await import("../src/index.js")
    await screen.close()
    screen = openScreen("/api/auth")
    expect(await fresh.getSession()).toBeNull()
    expect(screen.asked).toEqual(["GET /api/auth/session"])
    fresh.configureAuth({ basePath: "/elsewhere" })
    await expect(fresh.getSession()).rejects.toThrow()
    expect(configureAuth).not.toBe(fresh.configureAuth)
  })
})
