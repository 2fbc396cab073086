import { languages } from "@latchkey/core/languages"
import { de } from "@latchkey/core/languages/de"
import Passkey from "@latchkey/core/providers/passkey"
import { recoveryCodes, secondFactors, totp } from "@latchkey/core/second-factors"
import { authenticatorApp, testEmail } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { address, openPasswords, type PasswordHost, password } from "../setup/password-setup.js"
import { get, post } from "../setup/requests.js"

// What clients with forms of their own get: the sentences of the service, and the facts of its pages.

const json = { accept: "application/json" }
const german = { headers: { ...json, "accept-language": "de" } }

const open = (options: Parameters<typeof openPasswords>[0] = {}): PasswordHost =>
  openPasswords({ others: [testEmail({ code: true }), Passkey()], languages: languages([de]), ...options })

describe("the JSON of an error", () => {
  it.each([
    ["/auth/password/sign-up", { email: address, password: "short" }, /Das Passwort braucht mindestens 15 Zeichen/],
    ["/auth/password/sign-up", { email: "x", password }, /An diese Adresse können wir nicht schreiben/],
    ["/auth/password/reset", { code: "123456", password }, /Dieser Link oder Code funktioniert nicht mehr/],
    ["/auth/second-factor/totp", { code: "123456" }, /Diese Anmeldung/],
  ])("has a sentence in the language of the visitor (%s)", async (path, fields, message) => {
    const { host } = open({ hasSecondFactor: true })
    const answer = await post(host.browser, path, fields, german)
    expect(answer.json()).toMatchObject({ message: expect.stringMatching(message), reference: expect.any(String) })
  })

  it("has none for a mistake of the client", async () => {
    const { host } = open()
    const answer = await post(host.browser, "/auth/password/sign-up", { email: address, code: "" }, { headers: json })
    expect(Object.keys(Object((await get(host.browser, "/auth/password/none", json)).json()))).not.toContain("message")
    expect(answer.status).toBe(400)
  })
})

describe("GET /error as JSON", () => {
  const read = async (query: string, { host }: PasswordHost = open(), headers: Record<string, string> = json) =>
    (await get(host.browser, `/auth/error${query}`, headers)).json()

  it.each([
    ["CredentialsSignin", "That sign-in did not work. Check what you typed and try again."],
    ["CodeWrong", "That code is not right. Check the newest email and type its six digits."],
    ["Verification", "This link no longer works"],
    ["Verification&code=code", "This code no longer works"],
    ["EmailSignin&code=service", "The email could not be sent"],
    ["WebAuthnVerificationError&code=cancelled", expect.stringContaining("That was canceled")],
    ["TooManyRequests", "There were too many attempts."],
  ])("has the sentence for %s", async (error, message) => {
    expect(await read(`?error=${error}`)).toMatchObject({ message })
  })

  it.each(["<script>", "__proto__", "constructor", "WebAuthnVerificationError&code=toString", "x&code=<b>"])(
    "FLOW-10: repeats nothing of %s",
    async (error) => {
      const text = JSON.stringify(await read(`?error=${encodeURI(error)}`))
      expect(text).toMatch(/^\{"message":"[\w ,.’-]+"\}$/)
    },
  )

  it("FLOW-10: has the reference and the reason of the browser that has failed, and no page of the app in between", async () => {
    const opened = open({ pages: { error: "/problem", signIn: "/login" } })
    const { host } = opened
    const headers = { "x-auth-return-redirect": "1" }
    const refused = await post(host.browser, "/auth/signin/email", { email: "x" }, { headers })
    expect(refused.json()).toEqual({ url: expect.stringContaining("/login?") })
    expect(await read("?error=EmailSignin", opened)).toEqual({
      message: "That is not an address we can write to. Check it and try again.",
      code: "address",
      reference: expect.any(String),
    })
    expect(await read("?error=AccessDenied", opened)).not.toHaveProperty("reference")
    expect((await get(host.browser, "/auth/error?error=AccessDenied")).location).toContain("/problem")
  })
})

describe("the facts of a page", () => {
  it("name the email of this browser, also where the app has a page of its own", async () => {
    const { host } = open({ pages: { verifyRequest: "/check" } })
    await post(host.browser, "/auth/signin/email", { email: address })
    const page = "/auth/verify-request?provider=email&type=email"
    expect((await get(host.browser, page, json)).json()).toMatchObject({ address, hasCode: true })
    expect((await get(host.browser, page)).location).toContain("/check?")
  })

  it("have the key that a user must set up, the same after a reload, and none for a user who has a factor", async () => {
    const require = secondFactors({ factors: [totp(), recoveryCodes()], require: "always" })
    const { host, lastTo } = open({ secondFactors: require })
    const { browser } = host
    await post(browser, "/auth/password/sign-up", { email: address, password })
    await post(browser, "/auth/password/sign-up", { code: lastTo(address).code })
    const read = async () => Object((await get(browser, "/auth/second-factor", json)).json())
    const [first, second] = [await read(), await read()]
    expect(first).toMatchObject({ step: "enroll", kinds: [], setup: { uri: expect.stringContaining("otpauth://") } })
    expect([second.setup.secret, second.setup.ticket === first.setup.ticket]).toEqual([first.setup.secret, false])
    const code = await authenticatorApp(first.setup.secret).code()
    const done = await post(
      browser,
      "/auth/second-factor/enroll",
      { ticket: first.setup.ticket, code },
      { headers: json },
    )
    expect(Object(done.json()).recoveryCodes).toHaveLength(10)
    const other = host.newBrowser()
    await post(other, "/auth/callback/password", { email: address, password })
    const held = (await get(other, "/auth/second-factor", json)).json()
    expect(held).toEqual({ step: "second-factor", kinds: ["totp", "recovery"] })
  })
})
