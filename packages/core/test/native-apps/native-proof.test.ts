import { accountArea } from "@latchkey/core/account-area"
import { nativeApps } from "@latchkey/core/native-apps"
import { recoveryCodes, secondFactors, totp } from "@latchkey/core/second-factors"
import { fixedClock } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import {
  begin,
  clients,
  consent,
  desktopUri,
  iosUri,
  openConsent,
  openNative,
  openUntracked,
  read,
} from "../setup/native-setup.js"
import { post } from "../setup/requests.js"
import { openFactors } from "../setup/second-factor-setup.js"
import { strategies } from "../setup/tracked-setup.js"

const secondFactor = secondFactors({ factors: [totp(), recoveryCodes()] })
const area = { accountArea: accountArea() }

describe.each(strategies)("the proof that an app needs, with %s sessions", (strategy) => {
  it.each([
    ["session.track", () => openNative(strategy), "/auth/signin"],
    ["an account area", () => openUntracked(strategy, area), "/auth/signin"],
    ["both", () => openNative(strategy, area), "/auth/signin"],
    ["secondFactors", () => openUntracked(strategy, { secondFactors: secondFactor }), "/auth/confirm"],
    ["all of them", () => openNative(strategy, { ...area, secondFactors: secondFactor }), "/auth/confirm"],
  ])(
    "NAT-27: a session that is stolen later than ten minutes after the sign-in gets no code, with %s",
    async (_, open, path) => {
      using clock = fixedClock(new Date())
      const native = open()
      const browser = await native.signIn("ada")
      const flow = begin()
      clock.advance({ minutes: 11 })
      const asked = await openConsent(browser, flow)
      expect([asked.url.pathname, asked.url.searchParams.get("callbackUrl")]).toEqual([
        path,
        `https://app.test${flow.path}`,
      ])
      expect(asked.find('[name="ticket"]')).toBeNull()
    },
  )

  it.each([
    ["session.track", () => openNative(strategy)],
    ["an account area", () => openUntracked(strategy, area)],
  ])("NAT-27: its page goes on after a new sign-in, with %s", async (_, open) => {
    using clock = fixedClock(new Date())
    const native = open()
    const browser = await native.signIn("ada")
    const flow = begin()
    clock.advance({ minutes: 11 })
    await openConsent(browser, flow)
    const page = await browser.signIn("cred", { name: "ada", callbackUrl: flow.path })
    expect(page.url.pathname).toBe("/auth/native")
    expect(read(await consent(browser, flow))["code"]).toMatch(/^[\w-]{43}$/)
  })

  it("NAT-27: its page goes on after both factors of a user who has two", async () => {
    using clock = fixedClock(new Date())
    const { enroll } = await openFactors({ strategy, nativeApps: nativeApps({ clients }) })
    const { browser, app } = await enroll()
    const flow = begin({ client_id: "desktop", redirect_uri: desktopUri })
    clock.advance({ minutes: 11 })
    expect((await openConsent(browser, flow)).url.pathname).toBe("/auth/confirm")
    await post(browser, "/auth/confirm/cred", { name: "ada@example.com" })
    expect((await openConsent(browser, flow)).url.pathname).toBe("/auth/confirm")
    await post(browser, "/auth/confirm/totp", { code: await app.code() })
    expect(read(await consent(browser, flow))["code"]).toMatch(/^[\w-]{43}$/)
  })

  it("NAT-27: asks for a proof, instead of a redirect back and forth, where the clocks of two processes differ", async () => {
    using clock = fixedClock(new Date())
    const native = openNative(strategy, { secondFactors: secondFactor })
    const browser = await native.signIn("ada")
    const flow = begin()
    // This process asks, whose clock is behind.
    clock.advance({ seconds: -90 })
    const asked = await openConsent(browser, flow)
    expect([asked.url.pathname, asked.url.searchParams.get("again")]).toEqual(["/auth/confirm", "true"])
    // The other one shows the page.
    clock.advance({ seconds: 90 })
    const page = await browser.open(asked.url.pathname + asked.url.search)
    expect([page.url.pathname, page.status]).toEqual(["/auth/confirm", 200])
    clock.advance({ seconds: -90 })
    await post(browser, `/auth/confirm/cred${asked.url.search}`, { name: "ada" })
    expect((await openConsent(browser, flow)).url.pathname).toBe("/auth/native")
  })

  it("NAT-27: a question that waited until the proof was too old is asked again after another", async () => {
    using clock = fixedClock(new Date())
    const native = openNative(strategy)
    const browser = await native.signIn("ada")
    clock.advance({ minutes: 9 })
    const page = await openConsent(browser)
    const form = page.forms().find(({ fields }) => fields["choice"] === "continue")
    clock.advance({ minutes: 2 })
    const answered = await browser.submit(form ?? "form")
    expect([answered.url.pathname, answered.url.href.startsWith(iosUri)]).toEqual(["/auth/signin", false])
  })
})
