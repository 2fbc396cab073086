import { Auth } from "@latchkey/core"
import { decode, encode } from "@latchkey/core/jwt"
import { endOtherSessions } from "@latchkey/core/sessions"
import type { AuthConfig, JWT } from "@latchkey/core/types"
import { type Browser, fixedClock } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { readAnswer, requestTo } from "../setup/requests.js"
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
