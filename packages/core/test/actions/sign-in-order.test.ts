import type { Adapter } from "@latchkey/core/adapters"
import { memoryAdapter, type TestHost, type TestHostOptions, testEmail } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"
import { passwordProvider } from "../setup/sign-ins.js"

/** A host that records every callback, event and adapter call in order. */
function openNoting(
  options: TestHostOptions = {},
  without: readonly string[] = [],
): { host: TestHost; notes: string[] } {
  const notes: string[] = []
  const note = (name: string) => () => void notes.push(name)
  const isKept = ([name, method]: [string, unknown]) => typeof method === "function" && !without.includes(name)
  const methods = Object.entries(memoryAdapter()).filter(isKept)
  const adapter: Adapter = Object.fromEntries(
    methods.map(([name, method]) => [
      name,
      (...values: unknown[]) => {
        notes.push(`adapter ${name}`)
        return Reflect.apply(method, adapter, values)
      },
    ]),
  )
  const events = ["signIn", "signOut", "createUser", "updateUser", "linkAccount", "session"]
  const host = openHost({
    adapter,
    providers: ({ idp }) => [idp.provider(), testEmail(), passwordProvider()],
    callbacks: {
      signIn: () => notes.push("callback signIn") > 0,
      redirect({ url, baseUrl }) {
        notes.push("callback redirect")
        return url.startsWith("/") ? baseUrl + url : url
      },
      jwt({ token }) {
        notes.push("callback jwt")
        return token
      },
      session({ session }) {
        notes.push("callback session")
        return { ...session, expires: String(session.expires) }
      },
    },
    events: Object.fromEntries(events.map((name) => [name, note(`event ${name}`)])),
    ...options,
  })
  return { host, notes }
}

/**
 * What happened in between, without look-ups, notes of the service's own and the redirect policy: the contract orders
 * none.
 */
const inOrder = (notes: readonly string[]) =>
  notes.filter((name) => !/adapter (get|use|consume|is|list|mark)|redirect/.test(name))

describe("the order on sign-in", () => {
  it.each([
    ["jwt", ["callback jwt"], []],
    ["database", [], ["adapter createSession"]],
  ] as const)("by OAuth, for a new user, with %s sessions", async (strategy, jwt, row) => {
    const { host, notes } = openNoting({ session: { strategy } })
    await host.browser.signIn("oidc")
    expect(inOrder(notes)).toEqual([
      "callback signIn",
      "adapter transaction",
      "adapter createUser",
      "adapter linkAccount",
      "event createUser",
      "event linkAccount",
      ...row,
      ...jwt,
      "event signIn",
    ])
  })

  it("by OAuth, for a new user, in a store without transactions", async () => {
    const { host, notes } = openNoting({ session: { strategy: "jwt" } }, ["transaction"])
    await host.browser.signIn("oidc")
    const written = ["adapter createUser", "event createUser", "adapter linkAccount", "event linkAccount"]
    expect(inOrder(notes)).toEqual(["callback signIn", ...written, "callback jwt", "event signIn"])
  })

  it.each([
    ["jwt", ["callback jwt"]],
    ["database", ["adapter createSession"]],
  ] as const)("by OAuth, for a known one, with %s sessions", async (strategy, session) => {
    const { host, notes } = openNoting({ session: { strategy } })
    await host.newBrowser().signIn("oidc")
    notes.splice(0)
    await host.browser.signIn("oidc")
    expect(inOrder(notes)).toEqual(["callback signIn", ...session, "event signIn"])
  })

  it("a sign-in by email keeps the order", async () => {
    const { host, notes } = openNoting()
    await host.browser.signIn("email", { email: "v@corp.test" })
    expect(inOrder(notes)).toEqual(["callback signIn", "adapter createVerificationToken"])
    notes.splice(0)
    await host.browser.open(host.mailbox.lastLink())
    expect(inOrder(notes)).toEqual([
      "callback signIn",
      "adapter createUser",
      "event createUser",
      "adapter createSession",
      "event signIn",
    ])
    notes.splice(0)
    const browser = host.newBrowser()
    await browser.signIn("email", { email: "v@corp.test" })
    await browser.open(host.mailbox.lastLink())
    expect(inOrder(notes).slice(2)).toEqual([
      "callback signIn",
      "adapter updateUser",
      "event updateUser",
      "adapter createSession",
      "event signIn",
    ])
  })

  it("a sign-in by credentials keeps the order", async () => {
    const { host, notes } = openNoting({ session: { strategy: "jwt" } })
    await host.browser.signIn("cred", { u: "v", p: "right" })
    expect(inOrder(notes)).toEqual(["callback signIn", "callback jwt", "event signIn"])
  })
})

describe("the order on later requests", () => {
  it.each([
    ["jwt", ["callback jwt", "callback session", "event session"]],
    ["database", ["adapter getSessionAndUser", "callback session", "event session"]],
  ] as const)("of a session with %s sessions", async (strategy, expected) => {
    const { host, notes } = openNoting({ session: { strategy } })
    await host.browser.signIn("oidc")
    notes.splice(0)
    await host.browser.session()
    expect(notes).toEqual(expected)
  })

  it.each([
    ["jwt", ["event signOut"]],
    ["database", ["adapter deleteSession", "event signOut"]],
  ] as const)("of a sign-out with %s sessions", async (strategy, expected) => {
    const { host, notes } = openNoting({ session: { strategy } })
    await host.browser.signIn("oidc")
    notes.splice(0)
    await host.browser.signOut()
    expect(notes.filter((name) => name !== "callback redirect")).toEqual(expected)
  })
})

describe("an event handler that fails", () => {
  it.each(["createUser", "linkAccount", "signIn", "signOut"] as const)(
    "LOG-06: %s is logged, and nothing else changes",
    async (name) => {
      const fail = () => Promise.reject(new Error("the audit log is full"))
      const { host } = openNoting({ events: { [name]: fail } })
      expect((await host.browser.signIn("oidc", { callbackUrl: "/in" })).url.pathname).toBe("/in")
      expect(await host.browser.session()).not.toBeNull()
      await host.browser.signOut()
      expect([await host.browser.session(), host.logger.errorTypes()]).toEqual([null, ["EventError"]])
    },
  )
})

describe("an adapter that fails", () => {
  it.each(["getUserByAccount", "getUserByEmail", "createUser", "linkAccount", "createSession"] as const)(
    "ADP-09, DBS-08: in %s starts no session; only the log has the original error",
    async (name) => {
      const adapter = memoryAdapter()
      const err = new Error("duplicate key in /srv/db/users")
      const host = openHost({ adapter: { ...adapter, [name]: () => Promise.reject(err) } })
      const page = await host.browser.signIn("oidc")
      expect([page.url.search, page.text().includes("srv")]).toEqual(["?error=Configuration", false])
      expect(host.logger.errors[0]).toMatchObject({ type: "AdapterError", cause: { err } })
      expect([await host.browser.session(), host.events.names().includes("signIn")]).toEqual([null, false])
    },
  )
})
