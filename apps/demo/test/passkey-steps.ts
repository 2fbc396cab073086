import type { Page } from "playwright-core"
import { openSignIn } from "./sign-in-steps.js"

export const signInButton = (page: Page) => page.getByRole("button", { name: "Sign in with a passkey" })

/** From the sign-in page to the account page, as somebody new. */
export async function signUpWithPasskey(page: Page, email: string): Promise<void> {
  await page.getByText("New here?").click()
  const form = page.locator("details form")
  await form.getByLabel("Email").fill(email)
  await form.getByRole("button").click()
}

/**
 * Opens the sign-in page so that nothing happens before a button is pressed: the autofill gets no options to wait with.
 */
export async function openSignInQuietly(page: Page, origin: string, path?: string): Promise<void> {
  await page.route("**/webauthn-options/**", (route) => route.abort(), { times: 1 })
  const aborted = page.waitForEvent("requestfailed")
  await openSignIn(page, origin, path)
  await aborted
}

/** Lets requests to the device end soon when nobody answers. */
export async function shortenRequests(page: Page): Promise<void> {
  await page.route("**/webauthn-options/**", async (route) => {
    const response = await route.fetch()
    const offer = await response.json()
    await route.fulfill({ response, json: { ...offer, options: { ...offer.options, timeout: 500 } } })
  })
}
