import { authenticatorApp } from "@latchkey/testkit"
import type { Locator, Page, Route } from "playwright-core"
import { expect } from "vitest"
import { demoUser } from "../src/app/auth-config.js"

/** The `User-Agent` of Safari on an iPhone. */
export const phoneAgent =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1"

/** Opens the sign-in page, which redirects to the path after the sign-in. */
export async function openSignIn(page: Page, origin: string, path = "/auth/account"): Promise<void> {
  await page.goto(`${origin}/auth/signin?callbackUrl=${encodeURIComponent(path)}`)
}

/** Signs in through the identity provider, as one of the people listed there. */
export async function signInWithDemoId(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: "Sign in with Demo ID" }).click()
  await choosePerson(page, name)
}

export async function choosePerson(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name }).click()
}

/** Says who signs in, on the first page, and waits for the second. */
async function sayWho(page: Page, email: string): Promise<void> {
  // The form that creates a passkey has an email field too.
  const form = page.locator("form").filter({ has: page.getByRole("button", { name: "Continue" }) })
  await form.getByLabel("Email").fill(email)
  await form.getByRole("button").last().click()
  await page.waitForURL(/[?&]step=2/)
}

/** Requests an email link and stays on the page that follows. */
export async function requestLink(page: Page, email: string): Promise<void> {
  await sayWho(page, email)
  await page.getByRole("button", { name: /^Email me a/ }).click()
}

/** Opens the link in the newest mail of the inbox. */
export async function openNewestLink(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/inbox`)
  await page.frameLocator("iframe").getByRole("link", { name: "Sign in", exact: true }).click()
  await page.waitForURL((url) => !url.pathname.startsWith("/inbox"))
}

export async function signInWithPassword(page: Page, password: string = demoUser.password): Promise<void> {
  await sayWho(page, demoUser.email)
  await page.getByLabel("Password").fill(password)
  await page.getByRole("button", { name: "Sign in", exact: true }).click()
}

/** Sends the first form. Below it may be another one, such as the one that mails a code again. */
export async function press(page: Page): Promise<void> {
  await page.locator("main form").first().getByRole("button").last().click()
}

/** Follows the link to the page that asks before something goes, and says yes there. */
export async function agreeTo(page: Page, link: string, button = "Remove"): Promise<void> {
  await page.getByRole("link", { name: link }).click()
  await page.getByRole("link", { name: "Cancel" }).waitFor()
  await page.getByRole("button", { name: button, exact: true }).click()
}

/** The text about the current session on the home page. */
export async function readCurrentSession(page: Page, origin: string): Promise<string> {
  await page.goto(origin)
  return (await page.getByRole("region", { name: "Current session" }).textContent()) ?? ""
}

export async function expectSignedOut(page: Page, origin: string): Promise<void> {
  expect(await readCurrentSession(page, origin)).toContain("You are not signed in")
}

/** The id of the user who is signed in, from the session on the home page. */
export async function readUserId(page: Page, origin: string): Promise<string> {
  await page.goto(origin)
  const session = JSON.parse((await page.locator("details pre").textContent()) ?? "")
  return String(session.user.id)
}

/** The six digits in the newest mail to an address. */
export async function readNewestCode(page: Page, origin: string, address: string): Promise<string> {
  await page.goto(`${origin}/inbox`)
  await page.getByRole("link", { name: address }).first().click()
  return (
    (await page
      .frameLocator("iframe")
      .locator("body")
      .getByText(/^\d{6}$/)
      .textContent()) ?? ""
  )
}

/**
 * The codes of an authenticator app. Each is accepted once, up to half a minute early: after the code of this half minute, the
 * next one follows at once, and a third one has to be waited for.
 */
export function codesOf(secret: string): () => Promise<string> {
  const periodMs = 30_000
  const now = () => Math.floor(Date.now() / periodMs)
  let last = 0
  return async () => {
    const next = Math.max(now(), last + 1)
    while (next > now() + 1) await new Promise((resolve) => setTimeout(resolve, 500))
    last = next
    return authenticatorApp(secret, () => next * periodMs).code()
  }
}

/** How many there are once the page is complete: a click waits only until the next page begins to arrive. */
export async function countLoaded(found: Locator): Promise<number> {
  await found.page().waitForLoadState()
  return found.count()
}

/** Keeps a picture of the page if the environment names a folder for them. */
export async function takePicture(page: Page, name: string): Promise<void> {
  const folder = process.env["LATCHKEY_SHOTS"]
  if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true })
}

export const signInButton = (page: Page) => page.getByRole("button", { name: "Sign in with a passkey" })

/** What opens the form for a new account with a passkey. */
export const newPasskey = (page: Page) => page.locator("summary", { hasText: "Create a passkey" })

/** Creates an account with a passkey, starting on the sign-in page. */
export async function signUpWithPasskey(page: Page, email: string): Promise<void> {
  await newPasskey(page).click()
  const form = page.locator("details form")
  await form.getByLabel("Email").fill(email)
  await form.getByRole("button").last().click()
}

/** Opens the sign-in page without passkey autofill, so that nothing happens before a button is pressed. */
export async function openSignInWithoutAutofill(page: Page, origin: string, path?: string): Promise<void> {
  const blocked = waitForBlockedAutofill(page)
  await blockAutofill(page)
  await openSignIn(page, origin, path)
  await blocked
}

const options = "/webauthn-options/"

/** Fails the next request for passkey options. */
export async function blockAutofill(page: Page): Promise<void> {
  await page.route(`**${options}**`, (route) => route.abort(), { times: 1 })
}

/** Waits for that failure. Ignores other failed requests, such as those of the previous page. */
export async function waitForBlockedAutofill(page: Page): Promise<void> {
  await page.waitForEvent("requestfailed", (request) => request.url().includes(options))
}

/** Shortens the timeout of requests to the device. */
export async function shortenDeviceTimeout(page: Page, { times }: { readonly times?: number } = {}): Promise<void> {
  const shorten = async (route: Route): Promise<void> => {
    const response = await route.fetch()
    const offer = await response.json()
    await route.fulfill({ response, json: { ...offer, options: { ...offer.options, timeout: 500 } } })
  }
  await page.route(`**${options}**`, shorten, times === undefined ? {} : { times })
}
