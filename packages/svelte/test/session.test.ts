import type { Session } from "@latchkey/client"
import { testEmail } from "@latchkey/testkit"
import type { Component, mount, unmount } from "svelte"
import type { render } from "svelte/server"
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest"
import { accountOptions } from "../../../test/setup/account-options.js"
import { adaFields, type BrowserPage, openBrowserPage, validLogin } from "../../../test/setup/browser-page.js"
import type { AccountSession, SessionsActions, UsedAccount } from "../src/account/index.js"
import type { useSignIn } from "../src/flows/index.js"
import type * as face from "../src/index.js"
import type { CodeForm, CodeFormOptions, ReactiveSession, SessionOptions } from "../src/index.js"
import { loadApp } from "./build.js"

// Svelte against the real service, in a document.

type Props = Readonly<Record<string, unknown>>
type Root = Component<Props>

interface Client extends Pick<typeof face, "signIn" | "signOut" | "getProviders" | "configureAuth"> {
  readonly Root: Root
  readonly mount: typeof mount
  readonly hydrate: typeof mount
  readonly unmount: typeof unmount
}

interface Server {
  readonly Root: Root
  readonly render: typeof render
}

const session: Session = { user: { name: "Ada Lovelace" }, expires: "2999-01-01T00:00:00.000Z" }
const read = "GET /auth/session"

let client: Client
let server: Server
let page: BrowserPage
let target: HTMLElement
let seen: string[]
let used: ReactiveSession
const apps: object[] = []

function openPage(...args: Parameters<typeof openBrowserPage>): void {
  page = openBrowserPage(...args)
  for (const name of ["Node", "Element", "Text", "HTMLElement", "HTMLMediaElement", "Comment"]) {
    vi.stubGlobal(name, Reflect.get(window, name))
  }
  client.configureAuth({ basePath: args[0] ?? "/auth" })
  target = page.document.body.appendChild(page.document.createElement("main"))
}

beforeAll(async () => {
  server = await loadApp("server")
  client = await loadApp("client")
})
beforeEach(() => {
  openPage()
  seen = []
})
afterEach(async () => {
  for (const app of apps.splice(0)) await client.unmount(app)
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

const propsOf = (options?: SessionOptions, more: Props = {}): Props => ({
  options,
  seen,
  take: (taken: ReactiveSession) => {
    used = taken
  },
  ...more,
})

async function show(options?: SessionOptions, more?: Props): Promise<void> {
  apps.push(client.mount(client.Root, { target, props: propsOf(options, more) }))
  await page.settle()
}

async function act<T>(action: () => T | Promise<T>): Promise<T> {
  const result = await action()
  await page.settle()
  return result
}

/** The text of the paragraphs, between which Svelte leaves spaces. */
const text = () => [...target.querySelectorAll("p")].map((one) => one.textContent).join("")

describe("useSession", () => {
  it("throws outside a component that provides the session", () => {
    const mount = () => client.mount(client.Root, { target, props: { ...propsOf(), options: null } })
    expect(mount).toThrow("Call provideSession() in the root layout")
  })

  it("sends one request for all components", async () => {
    await show({}, { count: 2 })
    expect(text()).toBe("unauthenticated: anonymousunauthenticated: anonymous")
    expect(page.requests).toEqual([read])
    expect(seen[0]).toBe("loading: unknown")
  })

  it("follows a sign-in, an update and a sign-out without flicker", async () => {
    await show()
    await act(() => client.signIn("credentials", validLogin))
    expect(text()).toBe("authenticated: Ada Lovelace")
    seen.length = 0
    expect((await act(() => used.update({ name: "Countess Ada" })))?.user?.name).toBe("Countess Ada")
    await act(() => client.signOut({ redirect: false }))
    expect(seen).toEqual(["authenticated: Countess Ada", "unauthenticated: anonymous"])
  })

  it("stays loading with an error if the service is unreachable", async () => {
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")))
    await show()
    expect(text()).toBe("loading: unknown, AuthClientError")
  })

  it("follows nothing once its component is gone", async () => {
    await show()
    for (const app of apps.splice(0)) await client.unmount(app)
    seen.length = 0
    await act(() => client.signIn("credentials", validLogin))
    expect([seen, page.requests.filter((request) => request === read)]).toEqual([[], [read]])
  })
})

describe("provideSession", () => {
  it("sends no request if no component shows the session", async () => {
    await show({}, { count: 0 })
    expect(page.requests).toEqual([])
  })

  it("sends no request if the server has read the session, and hydrates the server's HTML", async () => {
    const { body } = server.render(server.Root, { props: propsOf({ session }) })
    expect(body).toContain("authenticated: Ada Lovelace")
    target.innerHTML = body
    apps.push(client.hydrate(client.Root, { target, props: propsOf({ session }) }))
    await page.settle()
    expect([text(), page.requests]).toEqual(["authenticated: Ada Lovelace", []])
  })

  it("renders as loading on a server without the session, and sends no request there", () => {
    const { body } = server.render(server.Root, { props: propsOf() })
    expect(body).toContain("loading: unknown")
    expect(page.requests).toEqual([])
  })

  it("shows a session that the server has read in the meantime", async () => {
    await show({ session: null })
    await act(() => used.learn(session))
    expect([text(), page.requests]).toEqual(["authenticated: Ada Lovelace", []])
  })

  it("sets the base path of all functions", async () => {
    openPage("/api/auth")
    await show({ basePath: "/api/auth" })
    expect(Object.keys(await client.getProviders())).toEqual(["credentials"])
    expect(page.requests).toEqual(["GET /api/auth/session", "GET /api/auth/providers"])
  })
})

describe("useCodeForm", () => {
  let form: CodeForm

  async function ask(options?: CodeFormOptions): Promise<void> {
    openPage("/auth", { providers: [testEmail({ code: true })] })
    const take = (taken: CodeForm) => {
      form = taken
    }
    await show({}, { form: { options, take } })
    await act(() => client.signIn("email", { email: "ada@example.com", redirectTo: "/in", redirect: false }))
  }

  it("shows why a code was refused, and stays on the page", async () => {
    await ask()
    const wrong = String((Number(page.host.mailbox.lastCode()) + 1) % 1_000_000).padStart(6, "0")
    await act(() => form.submit(wrong))
    expect(text()).toContain("idle, CodeWrong")
    expect(page.assign).not.toHaveBeenCalled()
  })

  it("goes where the sign-in began for after the right code", async () => {
    await ask()
    await act(() => form.submit(page.host.mailbox.lastCode()))
    expect(page.assign.mock.calls).toEqual([["https://app.test/in"]])
  })

  it("stays on the page with redirect: false, and the session appears", async () => {
    await ask({ redirect: false })
    await act(() => form.submit(page.host.mailbox.lastCode()))
    expect(text()).toContain("authenticated")
    expect(page.assign).not.toHaveBeenCalled()
  })
})

describe("the account", () => {
  let sessions: UsedAccount<readonly AccountSession[], SessionsActions>

  async function showAccount(): Promise<void> {
    const take = (taken: typeof sessions) => {
      sessions = taken
    }
    await show({}, { count: 0, account: { take } })
  }
  const sent = () => page.requests.filter((request) => request.includes("/account"))
  const shown = (expected: string) => vi.waitFor(() => expect(text()).toContain(expected))

  it("requests nothing while no one is signed in, and each part once someone is", async () => {
    openPage("/auth", accountOptions())
    await showAccount()
    await shown("unauthenticated, , no, no, ;")
    expect(sent()).toEqual([])
    await act(() => client.signIn("credentials", validLogin))
    await shown("ready, ada, 1, 0, ;")
    expect(sent()).toHaveLength(3)
  })

  it("acts, and shows the result and the error", async () => {
    openPage("/auth", accountOptions())
    const other = page.host.newBrowser()
    for (const browser of [page.host.browser, other]) await browser.signIn("credentials", adaFields)
    await showAccount()
    await shown("ready, ada, 2, 0, ;")
    await act(() => sessions.end("unknown"))
    await shown("ready, ada, 2, 0, gone;")
    await act(() => sessions.endOthers())
    await shown("ready, ada, 1, 0, ;")
    expect(await other.session()).toBeNull()
  })

  it("renders on a server without a request", () => {
    const take = () => undefined
    const { body } = server.render(server.Root, { props: propsOf({}, { count: 0, account: { take } }) })
    expect(body).toContain("loading, , no, no, ;")
    expect(page.requests).toEqual([])
  })
})

describe("the functions of the flows", () => {
  let flow: ReturnType<typeof useSignIn>
  const take = (taken: typeof flow) => {
    flow = taken
  }

  it("show each step with its actions, and the session at the end", async () => {
    openPage("/auth", accountOptions())
    await show({}, { count: 0, flow: { take } })
    expect(text()).toBe("identifier, , true, identifier,identifier,expired")
    await act(() => (flow.step === "identifier" ? flow.submit("ada") : undefined))
    await act(() => (flow.step === "password" ? flow.submit("wrong") : undefined))
    expect(text()).toContain("password, wrong-credentials, true")
    await act(() => (flow.step === "password" ? flow.submit("correct horse") : undefined))
    expect(text()).toContain("ada, , false")
  })

  it("render their first steps on a server without a request", () => {
    const { body } = server.render(server.Root, { props: propsOf({}, { count: 0, flow: { take } }) })
    expect(body).toContain(", , true, identifier,identifier,loading")
    expect(page.requests).toEqual([])
  })
})

describe("@latchkey/svelte", () => {
  it("exports the documented names", () => {
    const { Root: _, mount: __, hydrate: ___, unmount: ____, ...exported } = client
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
    const own = ["AuthClientError", "createSession", "provideSession", "useCodeForm", "useSession"]
    const names = Object.keys(exported).filter((name) => name !== "flushSync")
    expect(names.sort()).toEqual([...functions, ...own].sort())
  })
})
