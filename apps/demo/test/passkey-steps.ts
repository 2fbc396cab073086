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
  const silenced = nextSilence(page)
  await silenceAutofill(page)
  await openSignIn(page, origin, path)
  await silenced
}

const options = "/webauthn-options/"

/** The next time that the page asks for options, it gets none. */
export async function silenceAutofill(page: Page): Promise<void> {
  await page.route(`**${options}**`, (route) => route.abort(), { times: 1 })
}

/** Until the page got no options. Other requests fail too: those for what the page before had no time to show. */
export async function nextSilence(page: Page): Promise<void> {
  await page.waitForEvent("requestfailed", (request) => request.url().includes(options))
}

/** Lets requests to the device end soon when nobody answers. */
export async function shortenRequests(page: Page): Promise<void> {
  await page.route("**/webauthn-options/**", async (route) => {
    const response = await route.fetch()
    const offer = await response.json()
    await route.fulfill({ response, json: { ...offer, options: { ...offer.options, timeout: 500 } } })
  })
}
