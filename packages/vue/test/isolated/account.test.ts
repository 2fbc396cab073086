import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import type { Component } from "vue"
import { accountOptions } from "../../../../test/setup/account-options.js"
import { adaFields, validLogin } from "../../../../test/setup/browser-page.js"
import { openScreen, type Screen } from "../screen.js"

type Composables = typeof import("../../src/account/index.js")

let screen: Screen
let composables: Composables
let sessions: ReturnType<Composables["useSessions"]>

beforeEach(async () => {
  screen = await openScreen("/auth", accountOptions())
  composables = await import("../../src/account/index.js")
})
afterEach(() => {
  screen.close()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

const parts = (): Component => ({
  setup() {
    const account = composables.useAccount()
    sessions = composables.useSessions()
    const factors = composables.useFactors()
    const count = (list: readonly unknown[] | null) => list?.length ?? "no"
    return () =>
      screen.vue.h(
        "p",
        `${account.status.value}, ${account.data.value?.user.name}, ${count(sessions.data.value)}, ${count(factors.data.value)};`,
      )
  },
})

const twice = (): Component => {
  const part = parts()
  return { render: () => [screen.vue.h(part), screen.vue.h(part)] }
}

const sent = () => screen.requests.filter((request) => request.includes("/account"))

describe("the composables of the account", () => {
  it("request nothing while no one is signed in, and share one request once someone is", async () => {
    const auth = screen.package.createAuth()
    await screen.mount(twice(), auth)
    expect(screen.text()).toBe("unauthenticated, undefined, no, no;".repeat(2))
    expect(sent()).toEqual([])
    await screen.act(() => screen.package.signIn("credentials", validLogin))
    await vi.waitFor(() => expect(screen.text()).toBe("ready, ada, 1, 0;".repeat(2)))
    expect(sent()).toHaveLength(3)
  })

  it("act, and show the result and the error", async () => {
    const other = screen.host.newBrowser()
    for (const browser of [screen.host.browser, other]) await browser.signIn("credentials", adaFields)
    await screen.mount(parts(), screen.package.createAuth())
    await vi.waitFor(() => expect(screen.text()).toBe("ready, ada, 2, 0;"))
    await screen.act(() => sessions.end("unknown"))
    expect(sessions.error.value).toMatchObject({ code: "gone" })
    await screen.act(() => sessions.endOthers())
    expect([screen.text(), sessions.error.value, sessions.isPending.value]).toEqual(["ready, ada, 1, 0;", null, false])
    expect(await other.session()).toBeNull()
  })

  it("throw in an app without the plugin", () => {
    const app = screen.vue.createApp(parts())
    app.config.warnHandler = () => undefined
    expect(() => app.mount(screen.document.createElement("p"))).toThrow("app.use(createAuth())")
  })
})
