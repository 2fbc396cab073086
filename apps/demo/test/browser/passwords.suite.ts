import { ar } from "@latchkey/core/languages/ar"
import { ja } from "@latchkey/core/languages/ja"
import type { BrowserContext, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { browserTestOptions, type Stage } from "../stage.js"
import { findLatinWords, findLatinWordsIn } from "./latin-words.js"

type Sentences = typeof ar.messages

const speakers = [
  { name: "Arabic", locale: "ar", direction: "rtl", language: ar, hasScripts: true },
  { name: "Japanese", locale: "ja", direction: "ltr", language: ja, hasScripts: false },
] as const

/** Several pages and mails. */
const timeout = 2 * browserTestOptions.timeout

/** Passwords, by what the pages say in the language of the visitor. */
export function testPasswords(openStage: () => Promise<Stage>): void {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  }, browserTestOptions.timeout)
  afterAll(() => stage.close())

  describe.each(speakers)("a person who reads only $name", { timeout }, (speaker) => {
    const { locale, direction, language, hasScripts } = speaker
    const address = `${locale}@example.com`
    let context: BrowserContext
    let page: Page
    beforeEach(async () => {
      context = await stage.newContext({ locale, javaScriptEnabled: hasScripts, viewport: { width: 390, height: 780 } })
      page = await context.newPage()
    })
    afterEach(() => context.close())

    const say = (id: keyof Sentences, values: Readonly<Record<string, string>> = {}): string => {
      const all: Readonly<Record<string, string>> = { host: "Latchkey demo", ...values }
      return String(language.messages[id]).replace(/\{(\w+)\}/g, (_, name: string) => all[name] ?? "")
    }
    const press = (id: keyof Sentences): Promise<void> =>
      page.getByRole("button", { name: say(id), exact: true }).click()
    const follow = (id: keyof Sentences): Promise<void> =>
      page.getByRole("link", { name: say(id), exact: true }).click()
    const fill = (id: keyof Sentences, text: string): Promise<void> =>
      page.getByLabel(say(id), { exact: true }).fill(text)

    /** The page is the one with this heading, only in the language of the person. */
    async function expectPage(heading: keyof Sentences): Promise<void> {
      await page.getByRole("heading", { level: 1, name: say(heading), exact: true }).waitFor()
      const html = page.locator("html")
      expect([await html.getAttribute("lang"), await html.getAttribute("dir")]).toEqual([locale, direction])
      expect({ heading, words: await findLatinWords(page) }).toEqual({ heading, words: [] })
    }

    /** Opens the newest mail, which is also only in the language of the person. */
    async function openMail(subject: keyof Sentences): Promise<Page> {
      const inbox = await context.newPage()
      await inbox.goto(`${stage.demo().origin}/inbox`)
      const mail = inbox.getByRole("article")
      const facts = await mail.locator("dd").allTextContents()
      expect(facts).toContain(address)
      expect(await mail.getByRole("heading").textContent()).toBe(say(subject))
      const text = (await mail.locator("pre").textContent()) ?? ""
      expect({ subject, words: findLatinWordsIn(text) }).toEqual({ subject, words: [] })
      await inbox.goto(new URL((await inbox.locator("iframe").getAttribute("src")) ?? "", inbox.url()).href)
      const html = inbox.locator("html")
      expect([await html.getAttribute("lang"), await html.getAttribute("dir")]).toEqual([locale, direction])
      expect({ subject, words: await findLatinWords(inbox) }).toEqual({ subject, words: [] })
      return inbox
    }

    async function signOut(): Promise<void> {
      await page.goto(`${stage.demo().origin}/auth/account`)
      await follow("signOut.button")
      await expectPage("signOut.heading")
      await press("signOut.button")
    }

    async function sayWho(): Promise<void> {
      await page.goto(`${stage.demo().origin}/auth/signin?callbackUrl=/auth/account`)
      await expectPage("signIn.heading")
      await page
        .locator("form")
        .filter({ has: page.getByRole("button", { name: say("signIn.continue") }) })
        .getByLabel(say("signIn.email"), { exact: true })
        .fill(address)
      await press("signIn.continue")
      await expectPage("signIn.heading")
    }

    it("signs up, loses the password, and comes back", async () => {
      await page.goto(`${stage.demo().origin}/auth/signin?callbackUrl=/auth/account`)
      await expectPage("signIn.heading")
      await follow("password.link.new")
      await expectPage("password.signUp.heading")
      await fill("password.email", address)
      await fill("password.password", "short")
      await press("password.signUp.button")
      expect(await page.getByRole("alert").textContent()).not.toBe("")
      await expectPage("password.signUp.heading")
      await fill("password.password", "the first of two pass phrases")
      await press("password.signUp.button")
      await expectPage("password.signUp.codeHeading")
      const signUpMail = await openMail("passwordMail.sign-up.subject")
      await fill("password.code", (await signUpMail.getByText(/^\d{6}$/).textContent()) ?? "")
      await signUpMail.close()
      await press("password.signUp.button")
      await expectPage("account.title")

      await signOut()
      await sayWho()
      await follow("password.link.forgot")
      await expectPage("password.forgot.heading")
      await fill("password.email", address)
      await press("password.forgot.button")
      await expectPage("password.reset.heading")
      const resetMail = await openMail("passwordMail.reset.subject")
      const link = resetMail.getByRole("link", { name: say("passwordMail.choose"), exact: true })
      await page.goto((await link.getAttribute("href")) ?? "")
      await resetMail.close()
      await expectPage("password.reset.heading")
      await fill("password.newPassword", "the second of two pass phrases")
      await press("password.reset.button")
      await openMail("passwordMail.changed.subject").then((mail) => mail.close())

      await context.clearCookies()
      await sayWho()
      await fill("password.password", "the first of two pass phrases")
      await press("link.signIn")
      expect(await page.getByRole("alert").textContent()).toContain(say("credentials.text"))
      await expectPage("signIn.heading")
      await fill("password.password", "the second of two pass phrases")
      await press("link.signIn")
      await expectPage("account.title")
    })
  })
}
