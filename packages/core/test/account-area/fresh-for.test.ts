import { Auth } from "@latchkey/core"
import { nativeApps } from "@latchkey/core/native-apps"
import { fixedClock, testEmail } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { requireFresh } from "../../src/require-fresh.js"
import { call, openArea, read, settings } from "../setup/area-setup.js"
import { begin, clients } from "../setup/native-setup.js"
import { openPasswords } from "../setup/password-setup.js"
import { get, requestTo } from "../setup/requests.js"
import { cookiesOf } from "../setup/tracked-setup.js"

const isFresh = (answer: { json(): unknown }): unknown => Object(answer.json()).isFresh

describe.each(settings)("freshFor with %s sessions (%s)", (strategy, kind) => {
  it("FAC-15: shortens how long a proof counts, for changes, apps and requireFresh alike", async () => {
    using clock = fixedClock()
    const { host, signIn } = await openArea({
      strategy,
      kind,
      freshFor: 120,
      nativeApps: nativeApps({ clients }),
    })
    const browser = await signIn()
    const ask = () => requireFresh(requestTo("/pay", { cookie: cookiesOf(browser) }), host.config)
    clock.advance({ seconds: 119 })
    expect(isFresh(await read(browser))).toBe(true)
    expect(await ask()).not.toBeInstanceOf(Response)
    expect((await browser.open(begin().path)).url.pathname).toBe("/auth/native")
    clock.advance({ seconds: 2 })
    expect(isFresh(await read(browser))).toBe(false)
    const refused = await call(browser, "methods", { action: "unlink", provider: "oauth", id: "ada-1" })
    expect([refused.status, refused.json()]).toEqual([403, expect.objectContaining({ error: "FreshnessRequired" })])
    expect(refused.headers.get("www-authenticate")).toContain("max_age=120")
    const again = await ask()
    expect(again instanceof Response && again.status).toBe(403)
    expect((await browser.open(begin().path)).url.pathname).toBe(kind === "guarded" ? "/auth/confirm" : "/auth/signin")
  })
})

describe("freshFor", () => {
  it("FAC-15: is named by the page that asks to sign in again", async () => {
    using clock = fixedClock()
    const { signUp } = openPasswords({ freshFor: 180 })
    const browser = await signUp()
    clock.advance({ seconds: 181 })
    const { text } = await get(browser, "/auth/password/change", { accept: "text/html" })
    expect(text).toContain("Your password can be changed within 3 minutes of signing in.")
  })

  it.each([601, 3600, 59, 0, -1, 90.5, Number.NaN, "300"])(
    "FAC-15: cannot be %j, which the check of the configuration explains",
    async (freshFor) => {
      const { host } = openPasswords({ others: [testEmail()] })
      // as: apps in JavaScript may write anything.
      const config = { ...host.config, freshFor: freshFor as number }
      const answer = await Auth(requestTo("/auth/signin", { headers: { accept: "text/html" } }), config)
      expect(answer.status).toBe(500)
      expect(host.logger.errors.at(-1)?.message).toMatch(
        /freshFor: must be an integer of seconds from 60 to 600: a proof counts for at most ten minutes/,
      )
    },
  )
})
