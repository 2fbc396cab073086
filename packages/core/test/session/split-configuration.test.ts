import { Auth } from "@latchkey/core"
import { decode, encode } from "@latchkey/core/jwt"
import { endOtherSessions } from "@latchkey/core/sessions"
import type { AuthConfig, JWT } from "@latchkey/core/types"
import { type Browser, createBrowser, fixedClock, memoryAdapter } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"
import { post, readAnswer, requestTo } from "../setup/requests.js"
import { sessionCookie } from "../setup/sign-ins.js"
import { cookiesOf, openTracked, type TrackedHost } from "../setup/tracked-setup.js"

/** The half of a configuration without the adapter, such as that of a middleware or a sibling app. */
function toUntrackedHalf({ host }: TrackedHost, changes: Partial<AuthConfig> = {}): AuthConfig {
  const { adapter: _, session: __, ...shared } = host.config as AuthConfig
  return { ...shared, session: { strategy: "jwt" }, ...changes }
}

/** Renews the session of a browser by the half without an adapter. */
async function renew(browser: Browser, half: AuthConfig): Promise<unknown> {
  const response = await Auth(requestTo("/auth/session", { cookie: cookiesOf(browser) }), half)
  for (const cookie of response.headers.getSetCookie()) {
    const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
    browser.cookies.set(name, value)
  }
  return (await readAnswer(response)).json()
}

/** What an app's `jwt` callback may return: a new token with what the app knows of. */
const forgetful = ({ token }: { readonly token: JWT }): JWT => ({ sub: token.sub ?? "", role: "member" })

describe("a configuration without `session.track` that renews the token of one with it", () => {
  it.each([
    ["as it is", {}],
    ["after its jwt callback dropped every claim", { callbacks: { jwt: forgetful } }],
    ["after its jwt callback showed another user", { callbacks: { jwt: () => ({ sub: "u-other" }) } }],
  ])("keeps the session that can be ended: %s", async (_, changes) => {
    const tracked = openTracked("jwt", { checkEvery: 0 })
    const browser = await tracked.signIn("ada")
    const other = await tracked.signIn("ada")
    expect(await renew(browser, toUntrackedHalf(tracked, changes))).not.toBeNull()

    expect(await browser.session()).not.toBeNull()
    expect(await tracked.adapter.listSessionsByUserId("u-ada")).toHaveLength(2)
    const request = requestTo("/", { cookie: cookiesOf(other) })
    expect(await endOtherSessions(request, tracked.host.config as AuthConfig)).toBe(1)
    expect(await browser.session()).toBeNull()
  })

  it("keeps when the session was looked up, so that an ended one is refused in time", async () => {
    using clock = fixedClock()
    const tracked = openTracked("jwt", { checkEvery: 60 })
    const browser = await tracked.signIn("ada")
    await tracked.adapter.endSessions({ userId: "u-ada" })
    for (let n = 0; n < 3; n++) {
      clock.advance({ seconds: 25 })
      await renew(browser, toUntrackedHalf(tracked, { callbacks: { jwt: forgetful } }))
    }
    expect(await browser.session()).toBeNull()
  })

  it("keeps the session of a user who signed in before a clock was set back", async () => {
    const tracked = openTracked("jwt")
    const browser = await tracked.signIn("ada")
    const [{ name, value } = { name: "", value: "" }] = browser.cookies
      .list()
      .filter((each) => /session/.test(each.name))
    const key = { secret: String(tracked.host.config.secret), salt: name }
    const { sid, auth_time: start } = (await decode({ ...key, token: value })) ?? {}
    browser.cookies.set(name, await encode({ ...key, token: { sub: "u-ada", chk: `${sid} ${start} -5 pwd` } }))
    await renew(browser, toUntrackedHalf(tracked, { callbacks: { jwt: forgetful } }))
    expect(await browser.session()).not.toBeNull()
    expect(await tracked.adapter.listSessionsByUserId("u-ada")).toMatchObject([{ id: sid }])
  })

  it("leaves an app's own claim of one of these names to its callback", async () => {
    const jwt = ({ token, user }: { readonly token: JWT; readonly user?: unknown }): JWT =>
      user ? { ...token, chk: "mine", sid: 7 } : { sub: token.sub ?? "" }
    const session = ({ token }: { readonly token: JWT }) => ({ expires: "", claims: Object.keys(token) })
    const { signIn } = openTracked("jwt", null, { callbacks: { jwt, session } })
    const browser = await signIn("ada")
    expect(await browser.session()).toMatchObject({ claims: ["sub"] })
  })
})

describe.each(["jwt", "database"] as const)("a %s session in a cookie without the app's domain", (strategy) => {
  /** A browser that has both cookies: a middleware, or the app before it had a domain, sets its own without one. */
  async function openBoth() {
    const adapter = memoryAdapter()
    for (const id of ["ada", "bob"])
      await adapter.createUser({ id, name: id, email: `${id}@example.com`, emailVerified: null })
    const { config: before } = openHost({
      session: { strategy },
      adapter,
      providers: [
        {
          id: "cred",
          name: "Password",
          type: "credentials",
          credentials: { id: {} },
          authorize: ({ id }) => adapter.getUser(String(id)),
        },
      ],
    })
    const after = { ...before, cookies: { sessionToken: { options: { domain: "app.test" } } } }
    let config = before
    const browser = createBrowser({ handler: (request) => Auth(request, config), origin: "https://app.test" })
    await browser.signIn("cred", { id: "ada" })
    config = after
    return browser
  }

  const userOf = async (browser: Browser) => (await browser.session())?.user?.name
  const domainsOf = ({ cookies }: Browser) =>
    cookies.list().flatMap(({ name, isHostOnly }) => (name === sessionCookie ? [isHostOnly] : []))

  it("ends with a sign-out", async () => {
    const browser = await openBoth()
    await post(browser, "/auth/signout")
    expect([await userOf(browser), domainsOf(browser)]).toEqual([undefined, []])
  })

  it("ends with the sign-in of another user", async () => {
    const browser = await openBoth()
    await browser.signIn("cred", { id: "bob" })
    expect(await userOf(browser)).toBe("bob")
    await browser.session()
    expect(domainsOf(browser)).toEqual([false])
  })

  it("gives way to the one with it", async () => {
    const browser = await openBoth()
    expect([await userOf(browser), domainsOf(browser)]).toEqual(["ada", [true, false]])
    expect([await userOf(browser), domainsOf(browser)]).toEqual(["ada", [false]])
    await browser.signIn("cred", { id: "bob" })
    expect([await userOf(browser), domainsOf(browser)]).toEqual(["bob", [false]])
  })
})
