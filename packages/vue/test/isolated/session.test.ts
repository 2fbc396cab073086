import { AuthClientError, type Session } from "@latchkey/client"
import { testEmail } from "@latchkey/testkit"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import type { Component } from "vue"
import { validLogin } from "../../../../test/setup/browser-page.js"
import type { CodeForm, UseSessionOptions } from "../../src/index.js"
import { openScreen, type Screen } from "../screen.js"

// Vue against the real service, in a document.

const session: Session = { user: { name: "Ada Lovelace" }, expires: "2999-01-01T00:00:00.000Z" }
const read = "GET /auth/session"

let screen: Screen
let seen: string[]
let update: (data?: unknown) => Promise<Session | null>

beforeEach(async () => {
  screen = await openScreen()
  seen = []
})
afterEach(() => {
  screen.close()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

/** Shows the session, and records what it showed. */
function sessionText(options?: UseSessionOptions): Component {
  const { h } = screen.vue
  return {
    setup() {
      const { data, status, error, update: own } = screen.package.useSession(options)
      update = own
      return () => {
        const text = `${status.value}: ${data.value === undefined ? "unknown" : (data.value?.user?.name ?? "anonymous")}`
        seen.push(text)
        return h("p", error.value ? `${text}, ${error.value.name}` : text)
      }
    },
  }
}

/** Several components. */
const together = (...parts: Component[]): Component => ({ render: () => parts.map((part) => screen.vue.h(part)) })

describe("useSession", () => {
  it("throws in an app without the plugin", () => {
    const app = screen.vue.createApp(sessionText())
    app.config.warnHandler = () => undefined
    expect(() => app.mount(screen.document.createElement("p"))).toThrow("app.use(createAuth())")
  })

  it("sends one request for all components", async () => {
    await screen.mount(together(sessionText(), sessionText()), screen.package.createAuth())
    expect(screen.text()).toBe("unauthenticated: anonymousunauthenticated: anonymous")
    expect(screen.requests).toEqual([read])
    expect(seen[0]).toBe("loading: unknown")
  })

  it("follows a sign-in, an update and a sign-out without flicker", async () => {
    await screen.mount(sessionText(), screen.package.createAuth())
    await screen.act(() => screen.package.signIn("credentials", validLogin))
    expect(screen.text()).toBe("authenticated: Ada Lovelace")
    seen = []
    expect((await screen.act(() => update({ name: "Countess Ada" })))?.user?.name).toBe("Countess Ada")
    await screen.act(() => screen.package.signOut({ redirect: false }))
    expect(seen).toEqual(["authenticated: Countess Ada", "unauthenticated: anonymous"])
  })

  it("stays loading with an error if the service is unreachable", async () => {
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")))
    await screen.mount(sessionText(), screen.package.createAuth())
    expect(screen.text()).toBe("loading: unknown, AuthClientError")
  })

  it("follows nothing once its component is gone", async () => {
    await screen.mount(sessionText(), screen.package.createAuth())
    screen.close()
    seen = []
    await screen.act(() => screen.package.signIn("credentials", validLogin))
    expect([seen, screen.requests.filter((request) => request === read)]).toEqual([[], [read]])
  })
})

describe("SignedIn and SignedOut", () => {
  const either = (): Component => ({
    render: () => [
      screen.vue.h(screen.package.SignedIn, () => "account"),
      screen.vue.h(screen.package.SignedOut, () => "please sign in"),
    ],
  })

  it("show what is inside to one or the other", async () => {
    await screen.mount(either(), screen.package.createAuth())
    expect(screen.text()).toBe("please sign in")
    await screen.act(() => screen.package.signIn("credentials", validLogin))
    expect(screen.text()).toBe("account")
  })

  it("show nothing before the session is known", async () => {
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")))
    await screen.mount(either(), screen.package.createAuth())
    expect(screen.text()).toBe("")
  })
})

describe("useSession with `required`", () => {
  it("does not redirect before the session is known", async () => {
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")))
    await screen.mount(sessionText({ required: true }), screen.package.createAuth())
    expect(screen.assign).not.toHaveBeenCalled()
  })

  it("stays loading and redirects to the sign-in page if no one is signed in", async () => {
    await screen.mount(sessionText({ required: true }), screen.package.createAuth())
    expect(screen.text()).toBe("loading: anonymous")
    const query = new URLSearchParams({ error: "SessionRequired", callbackUrl: "https://app.test/page" })
    expect(screen.assign.mock.calls).toEqual([[`https://app.test/auth/signin?${query}`]])
  })

  it("calls onUnauthenticated instead, also after a later sign-out", async () => {
    const onUnauthenticated = vi.fn()
    const auth = screen.package.createAuth()
    await screen.act(() => screen.package.signIn("credentials", validLogin))
    await screen.mount(sessionText({ required: true, onUnauthenticated }), auth)
    expect([screen.text(), onUnauthenticated.mock.calls]).toEqual(["authenticated: Ada Lovelace", []])
    await screen.act(() => screen.package.signOut({ redirect: false }))
    expect(onUnauthenticated).toHaveBeenCalledOnce()
    expect(screen.assign).not.toHaveBeenCalled()
  })
})

describe("createAuth", () => {
  it("sends no request if no component shows the session", async () => {
    await screen.mount({ render: () => "Hello" }, screen.package.createAuth())
    expect([screen.text(), screen.requests]).toEqual(["Hello", []])
  })

  it("sends no request if the server has read the session, and hydrates the server's HTML", async () => {
    const { renderToString } = await import("vue/server-renderer")
    const server = screen.vue.createSSRApp(sessionText())
    const html = await renderToString(server.use(screen.package.createAuth({ session })))
    expect(html).toBe("<p>authenticated: Ada Lovelace</p>")
    const warnings = await screen.hydrate(html, sessionText(), screen.package.createAuth({ session }))
    expect([screen.text(), screen.requests, warnings]).toEqual(["authenticated: Ada Lovelace", [], []])
  })

  it("renders as loading on a server without the session, sends no request there, and hydrates", async () => {
    const { renderToString } = await import("vue/server-renderer")
    const html = await renderToString(screen.vue.createSSRApp(sessionText()).use(screen.package.createAuth()))
    expect([html, screen.requests]).toEqual(["<p>loading: unknown</p>", []])
    const auth = screen.package.createAuth()
    // Known before the app is hydrated, such as by the guard of a router.
    await screen.act(() => auth.store.refresh())
    expect(await screen.hydrate(html, sessionText(), auth)).toEqual([])
    expect(screen.text()).toBe("unauthenticated: anonymous")
  })

  it("keeps the session alive on pages that do not show it, until the app is unmounted", async () => {
    await screen.act(() => screen.package.signIn("credentials", validLogin))
    const auth = screen.package.createAuth({ session, refetchInterval: 0.01 })
    await screen.mount({ render: () => "Hello" }, auth)
    expect(screen.requests).toContain(read)
    screen.close()
    screen.requests.length = 0
    await screen.settle()
    expect(screen.requests).toEqual([])
  })

  it("sets the base path of all functions", async () => {
    screen = await openScreen("/api/auth")
    await screen.mount(sessionText(), screen.package.createAuth({ basePath: "/api/auth" }))
    expect(Object.keys(await screen.package.getProviders())).toEqual(["credentials"])
    expect(screen.requests).toEqual(["GET /api/auth/session", "GET /api/auth/providers"])
  })
})

describe("useCodeForm", () => {
  let form: CodeForm

  beforeEach(async () => {
    screen = await openScreen("/auth", { providers: [testEmail({ code: true })] })
  })

  async function ask(redirect?: boolean): Promise<void> {
    const component: Component = {
      setup() {
        form = screen.package.useCodeForm("email", { redirect })
        const { status } = screen.package.useSession()
        return () => `${status.value}, ${form.isSubmitting.value ? "busy" : "idle"}, ${form.error.value}`
      },
    }
    await screen.mount(component, screen.package.createAuth())
    const options = { email: "ada@example.com", redirectTo: "/in", redirect: false } as const
    await screen.act(() => screen.package.signIn("email", options))
  }

  it("shows why a code was refused, and stays on the page", async () => {
    await ask()
    const wrong = String((Number(screen.host.mailbox.lastCode()) + 1) % 1_000_000).padStart(6, "0")
    await screen.act(() => form.submit(wrong))
    expect(screen.text()).toBe("unauthenticated, idle, CodeWrong")
    expect(screen.assign).not.toHaveBeenCalled()
  })

  it("goes where the sign-in began for after the right code", async () => {
    await ask()
    await screen.act(() => form.submit(screen.host.mailbox.lastCode()))
    expect(screen.assign.mock.calls).toEqual([["https://app.test/in"]])
  })

  it("stays on the page with redirect: false, and the session appears", async () => {
    await ask(false)
    await screen.act(() => form.submit(screen.host.mailbox.lastCode()))
    expect(screen.text()).toBe("authenticated, idle, null")
    expect(screen.assign).not.toHaveBeenCalled()
  })
})

describe("@latchkey/vue", () => {
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
    const own = ["AuthClientError", "SignedIn", "SignedOut", "createAuth", "useCodeForm", "useSession"]
    expect(Object.keys(screen.package).sort()).toEqual([...functions, ...own].sort())
    expect(screen.package.AuthClientError.name).toBe(AuthClientError.name)
  })
})
