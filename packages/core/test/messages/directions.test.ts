import { accountArea } from "@latchkey/core/account-area"
import { languages } from "@latchkey/core/languages"
import { ar } from "@latchkey/core/languages/ar"
import { he } from "@latchkey/core/languages/he"
import { nativeApps } from "@latchkey/core/native-apps"
import { recoveryCodes, secondFactors, totp } from "@latchkey/core/second-factors"
import { authenticatorApp, type Browser, fixedClock, testEmail } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { begin, clients } from "../setup/native-setup.js"
import { address, openPasswords, password } from "../setup/password-setup.js"
import { ask, post } from "../setup/requests.js"
import { cookiesOf } from "../setup/tracked-setup.js"

const moved = "7ada@new.example"
const json = { headers: { accept: "application/json" } }
const html = { headers: { accept: "text/html" } }

/** A host with every page that has a field or an address, in two languages that are written from right to left. */
function open(language: string) {
  const opened = openPasswords({
    languages: languages([ar, he], { locale: () => language }),
    accountArea: accountArea(),
    nativeApps: nativeApps({ clients }),
    secondFactors: secondFactors({ factors: [totp(), recoveryCodes()] }),
    others: [testEmail({ code: true })],
  })
  return { ...opened, seen: new Map<string, string>() }
}

/** The fields that are written from left to right in every language, and what they are. */
const isLatin = (field: string) =>
  /type="(?:email|url|tel)"|autocomplete="(?:one-time-code|off)" autocapitalize="characters"|one-time-code/.test(field)

/** Fails unless each field of the page, and each address in its sentences, has its direction. */
function check(html: string, path: string): void {
  expect([path, /<html lang="\w+" dir="rtl">/.test(html)]).toEqual([path, true])
  const fields = html.match(/<input(?![^>]*type="hidden")[^>]*>/g) ?? []
  for (const field of fields.filter(isLatin))
    expect([path, field]).toEqual([path, expect.stringContaining('dir="ltr"')])
  for (const field of fields.filter((each) => / name="(?:email|confirm|username)"/.test(each)))
    expect([path, field]).toEqual([path, expect.stringMatching(/dir="(?:ltr|auto)"/)])
  const body = html.slice(html.indexOf("<body"))
  for (const email of [address, moved]) {
    for (const { index } of body.matchAll(new RegExp(`(?<=>[^<]*)${email}`, "g")))
      expect([path, body.slice(index - 40, index)]).toEqual([path, expect.stringMatching(/<bdi>$/)])
  }
  const codes = html.replace(/<ul [^>]*dir="ltr">.*?<\/ul>/gs, "").matchAll(/<code[^>]*>/g)
  for (const [code] of codes) expect([path, code]).toEqual([path, expect.stringContaining('dir="ltr"')])
}

async function checkAll(browser: Browser, paths: readonly string[]): Promise<void> {
  for (const path of paths) check((await browser.open(path)).text(), path)
}

describe.each(["ar", "he"])("a page in %s", (language) => {
  it("has the fields of a sign-in and the addresses in its sentences from left to right", async () => {
    const { host, lastTo } = open(language)
    const { browser } = host
    await checkAll(browser, ["/auth/signin", "/auth/password/sign-up", "/auth/password/forgot"])
    await browser.open("/auth/signin")
    check((await browser.submit('form[action$="/auth/signin"]', { email: address })).text(), "second step")
    check((await browser.submit('form[action$="/signin/email"]')).text(), "code of a mail")
    await post(browser, "/auth/password/sign-up", { email: address, password })
    check((await browser.open("/auth/password/sign-up?step=code")).text(), "code of a new account")
    check((await host.newBrowser().open(lastTo(address).link)).text(), "link of a new account")
    await post(browser, "/auth/password/forgot", { email: address })
    check((await browser.open("/auth/password/reset")).text(), "reset")
  })

  it("has the fields and addresses of an account from left to right", async () => {
    using clock = fixedClock()
    const { host, signUp, lastTo } = open(language)
    const browser = await signUp()
    const pages = ["", "/profile", "/email", "/methods", "/password", "/sessions", "/delete", "/factors"]
    await checkAll(browser, [...pages.map((page) => `/auth/account${page}`), "/auth/password/change"])
    await post(browser, "/auth/account/email", { action: "send", email: moved }, html)
    await checkAll(browser, ["/auth/account/email"])
    const { pathname, search } = new URL(lastTo(moved).link)
    check((await ask(host, pathname + search, { cookie: cookiesOf(browser) })).text, "link")
    const begun = await post(browser, "/auth/account/factors", { action: "begin-totp" }, json)
    const { ticket, secret } = begun.json() as { ticket: string; secret: string }
    const app = authenticatorApp(secret)
    await browser.open("/auth/account/factors")
    check((await browser.submit("form:has([value=begin-totp])")).text(), "set-up of an app")
    const saved = { action: "confirm-totp", ticket, code: await app.code() }
    await post(browser, "/auth/account/factors", saved, html)
    const codes = (await browser.open("/auth/second-factor/codes")).text()
    expect(codes).toContain("<li><code>")
    check(codes, "recovery codes")
    clock.advance({ minutes: 20 })
    await checkAll(browser, ["/auth/confirm", "/auth/account/profile"])
    const other = host.newBrowser()
    await post(other, "/auth/callback/password", { email: address, password })
    await checkAll(other, ["/auth/second-factor", "/auth/second-factor/recovery"])
  })

  it("has the address in the question of an app from left to right", async () => {
    const { signUp } = open(language)
    await checkAll(await signUp(), [begin().path])
  })
})
