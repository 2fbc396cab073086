import type { Locator, Page } from "playwright-core"
import { expect } from "vitest"
import type { Example } from "./example.js"
import type { Place } from "./stage.js"

/** Actions and assertions on the pages of an example. */
export interface Steps {
  open(path: string): Promise<void>
  /** From the login page. */
  signInWithPassword(password?: string): Promise<void>
  /** From the home page, or from the built-in sign-in page if only that offers it. */
  signInWithDemoId(person: string): Promise<void>
  /** As a person whom the provider does not know yet, or whom a test entered there before. */
  signUpWithDemoId(person: { readonly name: string; readonly email: string }): Promise<void>
  /** From the login page. */
  askForLink(email: string): Promise<void>
  followLink(email: string): Promise<void>
  /** On the page after the request of a mail. */
  typeCode(code: string): Promise<void>
  /** On the page of the sessions. */
  endSessionOf(device: string): Promise<void>
  endOtherSessions(): Promise<void>
  signOut(): Promise<void>
  expectSignedInAs(name: string): Promise<void>
  expectNobody(): Promise<void>
  /** Asserts the text that the browser script shows. */
  expectClientSession(text: string): Promise<void>
  expectPath(path: string): Promise<void>
  expectHeading(heading: string): Promise<void>
  expectAlert(text: string): Promise<void>
  expectText(selector: string, text: string): Promise<void>
  /** Asserts the devices on the page of the sessions, the current one first. */
  expectSessions(devices: readonly string[]): Promise<void>
}

/** The page of the steps. */
export interface Scene {
  readonly example: Example
  readonly place: Place
  readonly page: Page
  /** Whether JavaScript is enabled. */
  readonly hasScript: boolean
}

export const ada = { username: "ada", password: "correct horse", name: "Ada Lovelace" }

/** For what the page shows or the app prints in its own time. */
export const polling = { timeout: 15_000, interval: 50 }

export function createSteps(scene: Scene): Steps {
  return { ...createActions(scene), ...createMailActions(scene), ...createExpectations(scene) }
}

type Expectations = Pick<Steps, Extract<keyof Steps, `expect${string}`>>
type MailActions = Pick<Steps, "askForLink" | "followLink" | "typeCode">

function createActions(scene: Scene): Omit<Steps, keyof Expectations | keyof MailActions> {
  const { example, place, page } = scene
  const { origin } = place
  const clickAndLoad = (name: string) =>
    Promise.all([page.waitForEvent("load"), page.getByRole("button", { name }).click()])
  return {
    open: async (path) => {
      await page.goto(`${origin}${path}`)
      await settle(scene)
    },
    signInWithPassword: async (password = ada.password) => {
      const form = formWith(page, "password")
      await form.waitFor({ state: "attached" })
      // The built-in page folds it below the form for the address.
      const fold = page.locator("details:not([open]):has([name=password]) > summary")
      if ((await fold.count()) > 0) await fold.click()
      await form.locator("[name=username]").fill(ada.username)
      await form.locator("[name=password]").fill(password)
      await form.getByRole("button").last().click()
    },
    signInWithDemoId: async (person) => {
      await openDemoId(scene)
      await page.getByRole("button", { name: person }).click()
      await page.waitForURL((url) => url.origin === origin)
    },
    signUpWithDemoId: async ({ name, email }) => {
      await openDemoId(scene)
      await page.getByLabel("Name").fill(name)
      await page.getByLabel("Email address").fill(email)
      await page.getByRole("button", { name: "Continue" }).click()
      await page.waitForURL((url) => url.origin === origin)
    },
    endSessionOf: (device) => page.getByRole("button", { name: `End the session of ${device}` }).click(),
    endOtherSessions: () => page.getByRole("button", { name: "End all others" }).click(),
    signOut: async () => {
      // Frameworks load linked pages ahead, which renews the session. A response that comes after the sign-out would bring
      // the cookie back.
      await settle(scene)
      if (example.login === "own") return page.getByRole("button", { name: "Sign out" }).click()
      await clickAndLoad("Sign out")
      // The built-in page asks for confirmation.
      if (pathOf(page) === `${example.basePath}/signout`) await clickAndLoad("Sign out")
    },
  }
}

function createMailActions({ page, place: { standIns } }: Scene): MailActions {
  return {
    askForLink: async (email) => {
      const form = formWith(page, "email")
      await form.locator("[name=email]").fill(email)
      await form.getByRole("button").last().click()
    },
    followLink: async (email) => {
      await expect.poll(() => standIns.findMail(email)?.subject, polling).toContain("Sign in")
      await page.goto(findLink(standIns.findMail(email)?.text ?? ""))
    },
    typeCode: async (code) => {
      const form = formWith(page, "code")
      await form.locator("[name=code]").fill(code)
      // What follows may be another page, which would cancel a request of a script.
      await Promise.all([
        page.waitForResponse((response) => response.request().method() === "POST"),
        form.getByRole("button").last().click(),
      ])
    },
  }
}

/** Goes from the home page to the provider. */
async function openDemoId({ example, page }: Scene): Promise<void> {
  const button = page.getByRole("button", { name: "Sign in with Demo ID" })
  const link = page.getByRole("link", { name: "Sign in", exact: true })
  await button.or(link).first().waitFor()
  if (example.login === "built-in" && (await button.count()) === 0) await link.click()
  await button.click()
}

function formWith(page: Page, field: string): Locator {
  return page.locator("form", { has: page.locator(`[name=${field}]`) })
}

function createExpectations(scene: Scene): Expectations {
  const { example, page, hasScript } = scene
  const expectText = async (selector: string, text: string): Promise<void> => {
    await expect.poll(() => readText(scene, selector), { ...polling, message: selector }).toBe(text)
  }
  const expectSession = async (text: string): Promise<void> => {
    await expectText("#server-session", text)
    if (example.hasClient && hasScript) await expectText("#client-session", text)
  }
  return {
    expectSignedInAs: (name) => expectSession(`Signed in as ${name}`),
    expectNobody: () => expectSession("Not signed in"),
    expectClientSession: (text) => expectText("#client-session", text),
    expectPath: (path) => expect.poll(() => pathOf(page), polling).toBe(path),
    expectHeading: (heading) => expectText("h1", heading),
    expectAlert: (text) => expectText("[role=alert]", text),
    expectText,
    expectSessions: (devices) => expect.poll(() => readSessions(page), polling).toEqual(devices),
  }
}

/** Waits for the scripts of the page, which its forms may need, and for their requests. */
async function settle({ example, page, hasScript }: Scene): Promise<void> {
  if (!example.hasClient || !hasScript) return
  await page.waitForLoadState("networkidle")
}

/** The text of an element. Where it is missing, what the page shows instead, for the message of the failure. */
async function readText({ page }: Scene, selector: string): Promise<string> {
  const texts = await page.locator(selector).allTextContents()
  const text = texts[0] ?? `${page.url()} without ${selector}: ${await page.locator("body").textContent()}`
  return text.trim().replace(/\s+/g, " ")
}

/** The device of each session in the list, and whether it is the current one. */
async function readSessions(page: Page): Promise<readonly string[]> {
  const texts = await page.locator(".sessions li").allTextContents()
  const devices = await page.locator(".sessions li strong").allTextContents()
  return devices.map((device, n) => (texts[n]?.includes("This browser") ? `${device}, this browser` : device))
}

/** Ignores a trailing slash, because frameworks differ. */
function pathOf(page: Page): string {
  return new URL(page.url()).pathname.replace(/(?<=.)\/$/, "")
}

function findLink(text: string): string {
  const link = /https?:\/\/\S+/.exec(text)?.[0]
  if (!link) throw new Error("The email has no link")
  return link
}
