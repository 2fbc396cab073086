import { readdirSync, readFileSync } from "node:fs"
import { recoveryCodes, secondFactors, totp } from "@latchkey/core/second-factors"
import { type AuthenticatorApp, authenticatorApp, type Browser, fixedClock, testEmail } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import {
  address,
  forget,
  isSignedIn,
  newPassword,
  openPasswords,
  type PasswordHost,
  password,
  pathOf,
  signIn,
  strategies,
} from "../setup/password-setup.js"
import { get, post } from "../setup/requests.js"

const asJson = { headers: { accept: "application/json" } }
const change = "/auth/password/change"
const reset = "/auth/password/reset"

function open(strategy: (typeof strategies)[number] = "jwt"): PasswordHost {
  const factors = [totp(), recoveryCodes()]
  const secondFactor = secondFactors({ factors, remember: { days: 30 } })
  // The newest mail is the one that was asked for.
  const securityNotices = false
  return openPasswords({ strategy, others: [testEmail()], secondFactors: secondFactor, securityNotices })
}

async function enroll(browser: Browser): Promise<AuthenticatorApp> {
  const setup = await post(browser, "/auth/account/factors", { action: "begin-totp" })
  const { ticket, secret } = setup.json() as { ticket: string; secret: string }
  const app = authenticatorApp(secret)
  await post(browser, "/auth/account/factors", { action: "confirm-totp", ticket, code: await app.code() })
  return app
}

/** Signs in by a mailed link, which also creates the account. */
async function signInByMail({ host }: PasswordHost, browser: Browser): Promise<void> {
  await browser.signIn("email", { email: address })
  await browser.open(host.mailbox.lastLink())
}

interface Way {
  /** The file that completes the sign-in. */
  readonly file: string
  /** What a thief begins before the user has a second factor. */
  readonly begin?: (thief: Browser, hosting: PasswordHost) => Promise<unknown>
  readonly goOn: (thief: Browser, hosting: PasswordHost) => Promise<unknown>
}

/** The ways into the app by a password, for a thief who knows it and reads the mails. */
const ways: Readonly<Record<string, Way>> = {
  "a password": { file: "actions/callback.ts", goOn: (thief) => signIn(thief) },
  "the code of a reset": {
    file: "methods/password/reset.ts",
    async goOn(thief, { lastTo }) {
      await forget(thief)
      await post(thief, reset, { code: lastTo(address).code, password: newPassword })
    },
  },
  "the link of a reset": {
    file: "methods/password/reset.ts",
    async goOn(thief, { lastTo }) {
      await forget(thief)
      await thief.open(lastTo(address).link)
      await thief.submit("form", { password: newPassword })
    },
  },
  "a reset that began before the second factor": {
    file: "methods/password/reset.ts",
    begin: (thief) => forget(thief),
    goOn: (thief, { lastTo }) => post(thief, reset, { code: lastTo(address).code, password: newPassword }),
  },
  "a sign-up with the address of the account": {
    file: "methods/password/sign-up.ts",
    async goOn(thief, { lastTo }) {
      await post(thief, "/auth/password/sign-up", { email: address, password: newPassword })
      const { code, link } = lastTo(address)
      await post(thief, "/auth/password/sign-up", { code: code || "123456" })
      if (link) await get(thief, pathOf(link))
    },
  },
}

describe("the ways in by a password", () => {
  it("FAC-01: are all in the table of this test", () => {
    const sources = new URL("../../src/", import.meta.url)
    const files = readdirSync(sources, { recursive: true, encoding: "utf8" }).filter((file) => /\.tsx?$/.test(file))
    const completing = files.filter(
      (file) =>
        !file.includes(".test.") &&
        /finishSignIn\(\{|\? finishSignIn\(/.test(readFileSync(new URL(file, sources), "utf8")),
    )
    expect(completing.sort()).toEqual([...new Set(Object.values(ways).map(({ file }) => file))].sort())
  })

  describe.each(strategies)("with %s sessions", (strategy) => {
    it.each(Object.entries(ways))("FAC-01: %s starts no session before the second factor", async (_, way) => {
      using clock = fixedClock()
      const hosting = open(strategy)
      const thief = hosting.host.newBrowser()
      const owner = await hosting.signUp()
      await way.begin?.(thief, hosting)
      const app = await enroll(owner)
      clock.advance({ minutes: 1 })
      await way.goOn(thief, hosting)
      expect(await isSignedIn(thief)).toBe(false)
      expect(thief.cookies.names().filter((name) => name.includes("session-token"))).toEqual([])
      const page = await thief.open("/auth/second-factor")
      if (page.find("h1")?.text === "Enter your code") {
        await thief.submit("form", { code: await app.code() })
        expect(await isSignedIn(thief)).toBe(true)
      } else expect(way.file).toBe("methods/password/sign-up.ts")
    })

    it("FAC-01: a sign-up that began before the account starts no session of it", async () => {
      using clock = fixedClock()
      const hosting = open(strategy)
      const thief = hosting.host.newBrowser()
      await post(thief, "/auth/password/sign-up", { email: address, password: newPassword })
      const { code } = hosting.lastTo(address)
      const owner = hosting.host.newBrowser()
      await signInByMail(hosting, owner)
      await enroll(owner)
      clock.advance({ minutes: 1 })
      await post(thief, "/auth/password/sign-up", { code })
      expect(await isSignedIn(thief)).toBe(false)
    })

    it("FAC-05: a password is added and changed only after both factors were given again", async () => {
      using clock = fixedClock()
      const hosting = open(strategy)
      const { browser } = hosting.host
      await signInByMail(hosting, browser)
      const app = await enroll(browser)
      clock.advance({ minutes: 11 })
      const refused = await post(browser, change, { action: "send-code" }, asJson)
      const { url } = refused.json() as { readonly url: string }
      expect([refused.status, new URL(url).pathname]).toEqual([403, "/auth/confirm"])
      expect(refused.headers.get("www-authenticate")).toContain("insufficient_user_authentication")
      const shown = await get(browser, change)
      expect(shown.location).toBe(
        `https://app.test/auth/confirm?callbackUrl=${encodeURIComponent(`https://app.test${change}`)}`,
      )
      await post(browser, "/auth/confirm/totp", { code: await app.code() })
      expect((await post(browser, change, { action: "send-code" }, asJson)).status).toBe(403)
      const page = await browser.open(pathOf(shown.location ?? ""))
      expect(page.findAll("form").map((form) => form.attribute("action"))).toEqual([
        "https://app.test/auth/signin/email",
      ])
      await browser.submit("form")
      await browser.open(hosting.host.mailbox.lastLink())
      clock.advance({ seconds: 30 })
      await browser.open("/auth/second-factor")
      await browser.submit("form", { code: await app.code() })
      expect((await get(browser, change, asJson.headers)).json()).toEqual({ step: "add", isFresh: true })
      expect(hosting.host.leaks()).toEqual([])
    })

    it("FAC-07: a remembered device is asked again after the password was changed or reset", async () => {
      using clock = fixedClock()
      for (const kind of ["change", "reset"] as const) {
        const hosting = open(strategy)
        const owner = await hosting.signUp()
        const app = await enroll(owner)
        clock.advance({ minutes: 1 })
        const device = hosting.host.newBrowser()
        await signIn(device)
        await post(device, "/auth/second-factor/totp", { code: await app.code(), remember: "true" })
        await post(device, "/auth/signout")
        await signIn(device)
        expect([kind, await isSignedIn(device)]).toEqual([kind, true])
        await post(device, "/auth/signout")
        if (kind === "change") await post(owner, change, { current: password, password: newPassword })
        else await ways["the code of a reset"]?.goOn(hosting.host.newBrowser(), hosting)
        await signIn(device, newPassword)
        expect([kind, await isSignedIn(device)]).toEqual([kind, false])
        expect((await device.open("/auth/second-factor")).find("h1")?.text).toBe("Enter your code")
      }
    })
  })
})
