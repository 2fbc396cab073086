import { Auth, raw } from "@latchkey/core"
import { afterEach, describe, expect, it, vi } from "vitest"
import { openHost } from "../setup/hosts.js"
import { openLogged, recordsOf, right } from "../setup/log-setup.js"
import { openPasskeys } from "../setup/passkey-setup.js"
import { ask, get, requestTo } from "../setup/requests.js"
import { passwordProvider } from "../setup/sign-ins.js"

afterEach(() => {
  vi.restoreAllMocks()
})

describe.each(["jwt", "database"] as const)("the audit log of successful requests, with %s sessions", (strategy) => {
  it("LOG-01: records a first sign-in, the new user and the linked account", async () => {
    const { host, stored } = await openLogged(strategy)
    const records = await recordsOf(host, () => host.browser.signIn("oidc"))
    const userId = (await stored.getUserByEmail("ada@example.com"))?.id
    expect(records).toEqual([
      { outcome: "success", kind: "user-created", providerId: "oidc", userId },
      { outcome: "success", kind: "account-linked", providerId: "oidc", userId },
      { outcome: "success", kind: "sign-in", providerId: "oidc", userId },
    ])
    expect(await recordsOf(host, () => host.newBrowser().signIn("oidc"))).toEqual([
      { outcome: "success", kind: "sign-in", providerId: "oidc", userId },
    ])
  })

  it("LOG-01: records an account that the current user links", async () => {
    const { host } = await openLogged(strategy)
    await host.browser.signIn("oidc")
    const kinds = (await recordsOf(host, () => host.browser.signIn("other"))).map((record) => ({
      ...record,
      userId: "",
    }))
    expect(kinds).toEqual([
      { outcome: "success", kind: "account-linked", providerId: "other", userId: "" },
      { outcome: "success", kind: "sign-in", providerId: "other", userId: "" },
    ])
  })

  it("LOG-01: records first and later sign-ins by email", async () => {
    const { host, stored } = await openLogged(strategy)
    const follow = async () => {
      const browser = host.newBrowser()
      await browser.signIn("email", { email: "grace@corp.test" })
      return recordsOf(host, () => browser.open(host.mailbox.lastLink()))
    }
    const first = await follow()
    const about = {
      outcome: "success",
      providerId: "email",
      userId: (await stored.getUserByEmail("grace@corp.test"))?.id,
    }
    expect(first).toEqual([
      { ...about, kind: "user-created" },
      { ...about, kind: "sign-in" },
    ])
    expect(await follow()).toEqual([
      { ...about, kind: "user-updated" },
      { ...about, kind: "sign-in" },
    ])
  })

  it("LOG-01: records a sign-in with a password and the sign-out", async () => {
    const { host } = await openLogged(strategy)
    expect(await recordsOf(host, () => host.browser.signIn("cred", right))).toEqual([
      { outcome: "success", kind: "sign-in", providerId: "cred", userId: "u-v" },
    ])
    expect(await recordsOf(host, () => host.browser.signOut())).toEqual([
      { outcome: "success", kind: "sign-out", userId: "u-v" },
    ])
  })

  it("LOG-01: records sign-ins with a passkey", async () => {
    const { host, visitor } = openPasskeys({ strategy })
    const { register, signIn, browser } = visitor()
    const registered = await recordsOf(host, () => register("grace@corp.test"))
    expect(registered).toMatchObject([{ kind: "user-created" }, { kind: "account-linked" }, { kind: "sign-in" }])
    expect(new Set(registered.map((record) => Reflect.get(record, "userId"))).size).toBe(1)
    await browser.signOut()
    expect(await recordsOf(host, () => signIn())).toEqual([registered[2]])
  })

  it("does not record session reads, pages or lists", async () => {
    const { host } = await openLogged(strategy)
    await host.browser.signIn("cred", right)
    const reading = async () => {
      for (const path of ["session", "csrf", "providers", "signin", "signout", "verify-request", "error"]) {
        await get(host.browser, `/auth/${path}`)
      }
      await ask(host, "/auth/session")
    }
    expect(await recordsOf(host, reading)).toEqual([])
  })
})

describe("the audit log", () => {
  it("LOG-01: has the reference of the visitor's page and of the logged error", async () => {
    const { host } = await openLogged("jwt", { callbacks: { signIn: () => false } })
    const page = await host.browser.signIn("cred", right)
    const [record] = host.logger.records
    expect(record).toMatchObject({ reference: Reflect.get(host.logger.errors[0] ?? {}, "reference") })
    expect(page.text()).toContain(Reflect.get(record ?? {}, "reference"))
  })

  it("LOG-01: has the id of the rejected user if the account is known", async () => {
    const isBanned = { now: false }
    const { host, stored } = await openLogged("database", { callbacks: { signIn: () => !isBanned.now } })
    await host.browser.signIn("oidc")
    isBanned.now = true
    const records = await recordsOf(host, () => host.newBrowser().signIn("oidc"))
    const userId = (await stored.getUserByEmail("ada@example.com"))?.id
    expect(records).toMatchObject([{ kind: "permission", providerId: "oidc", userId }])
    host.idp.signInAs({ sub: "somebody new", email: "new@corp.test" })
    const [stranger] = await recordsOf(host, () => host.newBrowser().signIn("oidc"))
    expect(stranger).toMatchObject({ kind: "permission" })
    expect(stranger).not.toHaveProperty("userId")
  })

  it("LOG-01: has the request ID of the proxy or the app", async () => {
    const { host } = await openLogged("jwt")
    await ask(host, "/auth/unheard-of", { headers: { "x-request-id": "from-the-proxy" } })
    await Auth(requestTo("/auth/unheard-of", { headers: { "x-request-id": "from-the-proxy" } }), host.config, {
      requestId: "from-the-app",
    })
    expect(host.logger.records.map(({ requestId }) => requestId)).toEqual(["from-the-proxy", "from-the-app"])
  })

  it.each([
    ["oidc", {}],
    ["email", { email: "v@corp.test" }],
    ["cred", right],
  ])("LOG-01: has the request of a redirect callback that fails, with the provider %s", async (id, fields) => {
    const signIn = () => "/wait"
    const { host } = await openLogged("jwt", { callbacks: { signIn, redirect: () => Promise.reject(new Error("no")) } })
    await host.browser.signIn(id, fields)
    const failures = host.logger.records.filter((record) => record.kind === "config")
    expect(failures).not.toEqual([])
    expect(failures.filter(({ providerId }) => providerId !== id)).toEqual([])
  })

  it("LOG-01: records errors that are thrown to a framework", async () => {
    const { host } = await openLogged("jwt")
    const thrown = Auth(requestTo("/auth/signout", { form: {} }), { ...host.config, raw })
    await expect(thrown).rejects.toMatchObject({ type: "MissingCSRF" })
    expect(host.logger.records).toMatchObject([{ kind: "csrf" }])
  })

  it("LOG-06: does not affect the reply when it fails", async () => {
    const broken = {
      error: () => Promise.reject(new Error("disk full")) as never,
      record: () => {
        throw new Error("disk full")
      },
    }
    const config = { ...(await openLogged("database")).host.config }
    vi.spyOn(console, "error").mockImplementation(() => {})
    const browser = openHost({ ...config, providers: [passwordProvider()], logger: broken }).browser
    expect((await browser.signIn("cred", { u: "v", p: "wrong" })).url.search).toContain("error=CredentialsSignin")
    await browser.signIn("cred", right)
    expect(await browser.session()).not.toBeNull()
  })
})
