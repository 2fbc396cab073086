import type { Page } from "playwright-core"
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
  /** From the login page. */
  askForLink(email: string): Promise<void>
  followLink(email: string): Promise<void>
  signOut(): Promise<void>
  expectSignedInAs(name: string): Promise<void>
  expectNobody(): Promise<void>
  /** Asserts the text that the browser script shows. */
  expectClientSession(text: string): Promise<void>
  expectPath(path: string): Promise<void>
  expectHeading(heading: string): Promise<void>
  expectAlert(text: string): Promise<void>
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

const polling = { timeout: 15_000, interval: 50 }

export function createSteps(scene: Scene): Steps {
  return { ...createActions(scene), ...createExpectations(scene) }
}

type Expectations = Pick<Steps, Extract<keyof Steps, `expect${string}`>>

function createActions(scene: Scene): Omit<Steps, keyof Expectations> {
  const { example, place, page } = scene
  const { origin, standIns } = place
  const formWith = (field: string) => page.locator("form", { has: page.locator(`[name=${field}]`) })
  const clickAndLoad = (name: string) =>
    Promise.all([page.waitForEvent("load"), page.getByRole("button", { name }).click()])
  return {
    open: async (path) => {
      await page.goto(`${origin}${path}`)
      await becomeInteractive(scene)
    },
    signInWithPassword: async (password = ada.password) => {
      const form = formWith("password")
      await form.locator("[name=username]").fill(ada.username)
      await form.locator("[name=password]").fill(password)
      await form.getByRole("button").click()
    },
    signInWithDemoId: async (person) => {
      const button = page.getByRole("button", { name: "Sign in with Demo ID" })
      if (example.login === "built-in" && (await button.count()) === 0) {
        await page.getByRole("link", { name: "Sign in", exact: true }).click()
      }
      await button.click()
      await page.getByRole("button", { name: person }).click()
      await page.waitForURL((url) => url.origin === origin)
    },
    askForLink: async (email) => {
      const form = formWith("email")
      await form.locator("[name=email]").fill(email)
      await form.getByRole("button").click()
    },
    followLink: async (email) => {
      await expect.poll(() => standIns.findMail(email)?.subject, polling).toContain("Sign in")
      await page.goto(findLink(standIns.findMail(email)?.text ?? ""))
    },
    signOut: async () => {
      if (example.login === "own") return page.getByRole("button", { name: "Sign out" }).click()
      await clickAndLoad("Sign out")
      // The built-in page asks for confirmation.
      if (pathOf(page) === `${example.basePath}/signout`) await clickAndLoad("Sign out")
    },
  }
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
  }
}

/** Waits for the script before submitting a form that needs it. */
async function becomeInteractive({ example, page, hasScript }: Scene): Promise<void> {
  if (!example.hasClient || !hasScript) return
  await page.waitForLoadState("networkidle")
}

async function readText({ page }: Scene, selector: string): Promise<string | undefined> {
  const texts = await page.locator(selector).allTextContents()
  return texts[0]?.trim().replace(/\s+/g, " ")
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
