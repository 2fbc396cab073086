import { memoryAdapter } from "@latchkey/testkit"
import { describe, expect, it, vi } from "vitest"
import { openHost } from "../setup/hosts.js"
import { ask } from "../setup/requests.js"
import { passwordProvider } from "../setup/sign-ins.js"

// A callback of the app may merge what it gets, deeply, into objects of its own.

const poison =
  '{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}},"list":[{"__proto__":{"admin":true}}]}'

/** All names in a value, at every depth. */
function namesIn(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return []
  return Reflect.ownKeys(value).flatMap((name) => [String(name), ...namesIn(Reflect.get(value, name))])
}

const isClean = (value: unknown) => !namesIn(value).some((name) => ["__proto__", "constructor"].includes(name))

describe("CONF-08: members by which a merge could reach a prototype", () => {
  it("do not reach the callbacks in a profile from userinfo.request", async () => {
    const profile = vi.fn(() => ({ id: "1" }))
    const signIn = vi.fn(() => true)
    const host = openHost({
      callbacks: { signIn },
      providers: ({ idp }) => [
        idp.oauthProvider({ profile, userinfo: { request: async () => ({ id: "1", nested: JSON.parse(poison) }) } }),
      ],
    })
    await host.browser.signIn("oauth")
    expect(profile).toHaveBeenCalledOnce()
    expect(isClean(profile.mock.calls)).toBe(true)
    expect(JSON.stringify(signIn.mock.calls)).toContain('"list":[{}]')
    expect(isClean(JSON.parse(JSON.stringify(signIn.mock.calls)))).toBe(true)
  })

  it("do not reach authorize in a JSON body", async () => {
    const authorize = vi.fn(() => null)
    const host = openHost({ providers: [passwordProvider({ authorize })], adapter: memoryAdapter() })
    const csrfToken = await host.browser.csrfToken()
    // Without the list: credentials are text.
    const members = poison.slice(1, poison.indexOf(',"list"'))
    const body = `{"csrfToken":"${csrfToken}","u":"v",${members}}`
    const headers = { "content-type": "application/json" }
    await host.browser.fetch("/auth/callback/cred", { method: "POST", headers, body })
    expect(authorize.mock.calls.map(([fields]: readonly unknown[]) => namesIn(fields))).toEqual([["u"]])
  })

  it("do not reach the jwt callback in the data of an update", async () => {
    const jwt = vi.fn(({ token }) => token)
    const host = openHost({ callbacks: { jwt }, providers: [passwordProvider()] })
    await host.browser.signIn("cred", { u: "v", p: "right" })
    const csrfToken = await host.browser.csrfToken()
    const headers = { "content-type": "application/json" }
    const body = `{"csrfToken":"${csrfToken}","data":{"nested":${poison}}}`
    await host.browser.fetch("/auth/session", { method: "POST", headers, body })
    const updates = jwt.mock.calls.filter(([{ trigger }]) => trigger === "update")
    expect(updates).toHaveLength(1)
    expect(updates[0]?.[0].session).toEqual({ nested: { list: [{}] } })
    expect(isClean(updates[0]?.[0].session)).toBe(true)
  })
})

describe("a cookie with the name of another sealed purpose", () => {
  it.each(["sessionToken", "state", "csrfToken"])("HOST-09: is refused for %s", async (purpose) => {
    for (const name of ["encodedState", "encodedWebauthnChallenge"]) {
      const host = openHost({ cookies: { [purpose]: { name } } })
      expect((await ask(host, "/auth/session")).status).toBe(500)
      expect(host.logger.errors[0]?.message).toMatch(`cookies.${purpose}: name ${name} is reserved`)
    }
  })
})
