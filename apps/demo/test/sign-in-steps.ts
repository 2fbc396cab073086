import type { Page } from "playwright-core"
import { demoPerson } from "../src/app/demo-person.js"

/** Opens the sign-in page so that a path of the app comes after it. */
export async function openSignIn(page: Page, origin: string, path = "/account"): Promise<void> {
  await page.goto(`${origin}/auth/signin?callbackUrl=${encodeURIComponent(path)}`)
}

/** From the sign-in page to the identity provider and back, as one of the people it offers. */
export async function signInWithDemoId(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: "Sign in with Demo ID" }).click()
  await choosePerson(page, name)
}

export async function choosePerson(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name }).click()
}

/** Asks for a link and stays on the page that comes after. */
export async function askForLink(page: Page, email: string): Promise<void> {
  // A passkey is signed up with an address too.
  const form = page.locator("form").filter({ has: page.getByRole("button", { name: "Sign in with email" }) })
  await form.getByLabel("Email").fill(email)
  await form.getByRole("button").click()
}

/** Follows the link in the newest mail of the inbox. */
export async function followNewestLink(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/inbox`)
  await page.frameLocator("iframe").getByRole("link", { name: "Sign in", exact: true }).click()
  await page.waitForURL((url) => !url.pathname.startsWith("/inbox"))
}

export async function signInWithPassword(page: Page, password: string = demoPerson.password): Promise<void> {
  await page.getByLabel("User name").fill(demoPerson.username)
  await page.getByLabel("Password").fill(password)
  await page.getByRole("button", { name: "Sign in with password" }).click()
}

/** Who the home page says is signed in. */
export async function readWhoIsSignedIn(page: Page, origin: string): Promise<string> {
  await page.goto(origin)
  return (await page.getByRole("region", { name: "Who is signed in" }).textContent()) ?? ""
}
