import type { Page } from "playwright-core"
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { findAccessibilityFaults, readOverflow } from "../../apps/demo/test/browser/accessibility.js"
import { codesOf } from "../../apps/demo/test/steps.js"
import type { Example } from "./example.js"
import type { Stage } from "./stage.js"
import { ada, polling } from "./steps.js"
import { closeWithoutProblems, openVisit, type Visit } from "./visit.js"

const password = "seven boats on a green lake"
const newPassword = "nine red kites above the hill"

/** What the components say. */
const words = {
  en: {
    ...{ email: "Email", password: "Password", next: "Continue", signIn: "Sign in", createAccount: "Create account" },
    ...{ code: "Code", appCode: "Code of your authenticator app", other: "Use a recovery code", page: "Go on" },
    ...{ recovery: "Recovery code", saved: "I have saved them", sendEmail: "Send email", newPassword: "New password" },
    ...{ savePassword: "Save password", wrong: "That sign-in did not work.", short: "at least 15 characters" },
  },
  de: {
    ...{ email: "E-Mail-Adresse", password: "Passwort", next: "Weiter", signIn: "Anmelden" },
    ...{ createAccount: "Konto erstellen", code: "Code", appCode: "Code aus Ihrer Authenticator-App", page: "Weiter" },
    ...{
      other: "Wiederherstellungscode verwenden",
      recovery: "Wiederherstellungscode",
      saved: "Ich habe sie gespeichert",
    },
    ...{ sendEmail: "E-Mail senden", newPassword: "Neues Passwort", savePassword: "Passwort speichern" },
    ...{ wrong: "Die Anmeldung hat nicht funktioniert.", short: "mindestens 15 Zeichen" },
  },
} as const

type Language = keyof typeof words

/** Tests of the pages that show the components of `latchkey add`. */
export function describeOwnForms(example: Example, stage: () => Stage): void {
  describe.each<Language>(["en", "de"])("the copied components, in the language %s", (language) => {
    beforeAll(() => stage().forgetVisitors())

    it.each([false, true])(
      "sign users up and in, with a second factor (reloads at each step: %s)",
      async (hasReloads) => {
        const visit = await openVisit(example, stage(), true, {
          locale: language,
          viewport: { width: 390, height: 844 },
        })
        const form = createForm({ visit, stage: stage(), language, hasReloads })
        const email = `${language}-${hasReloads}@staff.example`
        const { nextCode, recoveryCode } = await signUp(form, email)
        await visit.expectSignedInAs("Lise Meitner")
        await visit.signOut()
        await visit.expectNobody()
        await signInWithApp(form, email, nextCode)
        await visit.expectSignedInAs("Lise Meitner")
        await visit.signOut()
        await visit.expectNobody()
        await resetPassword(form, email, recoveryCode)
        await visit.expectSignedInAs("Lise Meitner")
        expect(form.addresses().filter((address) => /seven|kites|%40|@/.test(address))).toEqual([])
        await visit.close()
      },
    )
  })

  describe("the copied components without scripts", () => {
    let visit: Visit

    beforeAll(() => stage().forgetVisitors())
    beforeEach(async () => {
      visit = await openVisit(example, stage(), false)
    })
    afterEach(() => visit.close())

    const submit = (name: string) =>
      Promise.all([visit.page.waitForEvent("load"), visit.page.getByRole("button", { name }).click()])

    it("lead from the sign-in to the page with forms that work", async () => {
      await visit.open("/sign-in")
      await visit.look("own-sign-in-without-script")
      await visit.page.getByLabel("Email").fill("ada@example.com")
      await visit.page.getByRole("button", { name: "Continue" }).click()
      await visit.expectPath("/login")
      expect(visit.page.url()).not.toContain("ada")
      await visit.signInWithPassword()
      await expect.poll(() => visit.page.url(), polling).not.toContain("/login")
      await visit.open("/")
      await visit.expectSignedInAs(ada.name)
      await closeWithoutProblems(visit)
    })

    it("lead from the sign-up to the built-in page, which asks for the code", async () => {
      const { page } = visit
      await visit.open("/sign-up")
      await page.getByLabel("Email").fill("otto@example.com")
      await page.getByLabel("Password").fill(password)
      await submit("Create account")
      // Frameworks that check the origin of forms themselves need no token. Others get the form once more, with one.
      if ((await page.getByLabel("Password").count()) > 0) {
        expect(await page.getByLabel("Email").inputValue()).toBe("otto@example.com")
        expect(await page.getByLabel("Password").inputValue()).toBe("")
        await page.getByLabel("Password").fill(password)
        await submit("Create account")
      }
      await visit.expectPath(`${example.basePath}/password/sign-up`)
      expect(page.url()).not.toMatch(/otto|seven/)
      await page.getByLabel("Code").fill(await readCode(stage(), "otto@example.com"))
      await submit("Create account")
      await visit.open("/")
      await visit.expectSignedInAs("otto@example.com")
    })

    it("lead from the reset to the built-in page, which asks for the code and the new password", async () => {
      const { page } = visit
      await visit.open("/reset-password")
      await page.getByLabel("Email").fill("otto@example.com")
      await submit("Send email")
      if ((await page.getByRole("button", { name: "Send email" }).count()) > 0) await submit("Send email")
      await visit.expectPath(`${example.basePath}/password/reset`)
      expect(page.url()).not.toContain("otto")
      await page.getByLabel("Code").fill(await readCode(stage(), "otto@example.com"))
      await page.getByLabel("New password").fill(newPassword)
      await submit("Save password")
      await visit.open("/")
      await visit.expectSignedInAs("otto@example.com")
    })
  })
}

interface Form {
  readonly page: Page
  readonly words: (typeof words)[Language]
  open(path: string): Promise<void>
  type(label: string, text: string): Promise<void>
  press(name: string): Promise<void>
  /** Waits for a field, reloads if this visit does, and waits again. Looks at the page. */
  reach(label: string, name: string): Promise<void>
  /** Expects that the form was refused, with a sentence. */
  expectRefused(text: string): Promise<void>
  readMail(email: string): Promise<string>
  readonly hasReloads: boolean
  /** All that the browser has shown or sent. */
  addresses(): readonly string[]
}

interface Setting {
  readonly visit: Visit
  readonly stage: Stage
  readonly language: Language
  readonly hasReloads: boolean
}

function createForm({ visit, stage, language, hasReloads }: Setting): Form {
  const { page } = visit
  const addresses: string[] = []
  page.on("request", (request) => addresses.push(request.url()))
  const field = (label: string) => page.getByLabel(label, { exact: true })
  const explain = async (error: unknown): Promise<never> => {
    throw new Error(`The page shows: ${await page.locator("main").textContent()}\n${stage.output().slice(-2000)}`, {
      cause: error,
    })
  }
  return {
    page,
    words: words[language],
    hasReloads,
    addresses: () => addresses,
    open: visit.open,
    type: (label, text) => field(label).fill(text),
    press: (name) => page.getByRole("button", { name, exact: true }).click(),
    async reach(label, name) {
      const wait = () => field(label).waitFor().catch(explain)
      await wait()
      if (hasReloads) {
        await page.reload()
        await wait()
      }
      await page.waitForLoadState("networkidle")
      if (!hasReloads) await visit.look(`own-${name}-${language}`)
      expect([name, await findAccessibilityFaults(page), await readOverflow(page)]).toEqual([name, [], 0])
    },
    expectRefused: (text) => expect.poll(() => page.getByRole("alert").first().textContent(), polling).toContain(text),
    readMail: (email) => readCode(stage, email),
  }
}

/** The code of the newest email. */
async function readCode({ standIns }: Stage, email: string): Promise<string> {
  const find = () => /^\d{6}$/m.exec(standIns.findMail(email)?.text.replaceAll("\r", "") ?? "")?.[0]
  await expect.poll(find, polling).toBeDefined()
  return find() ?? ""
}

async function signUp(form: Form, email: string) {
  const { page, words } = form
  await form.open("/sign-up")
  await form.reach(words.password, "sign-up")
  await form.type(words.email, email)
  await page.locator("[name=name]").fill("Lise Meitner")
  await form.type(words.password, "short")
  await form.press(words.createAccount)
  await form.expectRefused(words.short)
  await form.type(words.password, password)
  await form.press(words.createAccount)
  await form.reach(words.code, "sign-up-code")
  await form.type(words.code, await form.readMail(email))
  await form.press(words.createAccount)
  await form.reach(words.appCode, "enroll")
  const nextCode = codesOf((await page.locator("code").textContent()) ?? "")
  await form.type(words.appCode, await nextCode())
  await form.press(words.next)
  const codes = page.locator("pre")
  await codes.waitFor()
  const [recoveryCode = ""] = ((await codes.textContent()) ?? "").split("\n")
  if (form.hasReloads) {
    // The built-in page shows them again.
    await page.reload()
    await form.press(words.page)
    await page.getByText(recoveryCode).first().waitFor()
  }
  await form.press(words.saved)
  return { nextCode, recoveryCode }
}

async function signInWithApp(form: Form, email: string, nextCode: () => Promise<string>): Promise<void> {
  const { words } = form
  await form.open("/sign-in")
  await form.type(words.email, email)
  await form.press(words.next)
  await form.reach(words.password, "password")
  await form.type(words.password, "not that one at all")
  await form.press(words.signIn)
  await form.expectRefused(words.wrong)
  await form.type(words.password, password)
  await form.press(words.signIn)
  await form.reach(words.appCode, "second-factor")
  await form.type(words.appCode, await nextCode())
  await form.press(words.next)
}

async function resetPassword(form: Form, email: string, recoveryCode: string): Promise<void> {
  const { words } = form
  await form.open("/reset-password")
  await form.reach(words.email, "reset")
  await form.type(words.email, email)
  await form.press(words.sendEmail)
  await form.reach(words.newPassword, "reset-code")
  await form.type(words.code, await form.readMail(email))
  await form.type(words.newPassword, newPassword)
  await form.press(words.savePassword)
  await form.reach(words.appCode, "reset-second-factor")
  await form.press(words.other)
  await form.type(words.recovery, recoveryCode)
  await form.press(words.next)
}
