import { renderCardPage } from "../look/site-page.js"

/** After a link was asked for: where the mail is. */
export function renderCheckEmailPage(): string {
  return renderCardPage("Check your email", [
    <h1>Check your email</h1>,
    <p>We sent a sign-in link to the address you gave. It works once and for a day.</p>,
    <p class="quiet">In this demo every mail arrives in the demo's own inbox, whatever the address.</p>,
    <a class="button main full" href="/inbox">
      Open the inbox
    </a>,
    <a class="button full" href="/auth/signin">
      Send it again
    </a>,
  ])
}

export function renderNotFoundPage(): string {
  return renderCardPage("Page not found", [
    <h1>There is no such page</h1>,
    <p>The address may be misspelt, or what was there is gone.</p>,
    <a class="button main full" href="/">
      Go to the home page
    </a>,
  ])
}

export function renderFailurePage(): string {
  return renderCardPage("Something went wrong", [
    <h1>This did not work</h1>,
    <p>The terminal in which the demo runs says why. Try again, or go back to the home page.</p>,
    <a class="button main full" href="/">
      Go to the home page
    </a>,
  ])
}
