import { renderProviderPage } from "./login-page.js"

/** The page that asks whether to sign out. */
export function renderLogoutPage(form: string): string {
  // The provider's own form, with its token: the buttons are outside of it.
  const id = /id="([^"]+)"/.exec(form)?.[1] ?? ""
  return renderProviderPage("Sign out", [
    <h1>Sign out of Demo ID?</h1>,
    <p class="quiet">The apps that you signed in to with this session are told, and end theirs.</p>,
    <div dangerouslySetInnerHTML={{ __html: form }} />,
    <button type="submit" class="button main full" form={id} name="logout" value="yes">
      Yes, sign out
    </button>,
    <p />,
    <button type="submit" class="button full" form={id}>
      No, stay signed in
    </button>,
  ])
}

/** The page after a sign-out that no app asked for. */
export function renderSignedOutPage(): string {
  return renderProviderPage("Signed out", [<h1>You are signed out of Demo ID</h1>])
}

/** The provider's start page. */
export function renderProviderHome(): string {
  return renderProviderPage("Demo ID", [
    <h1>Demo ID</h1>,
    <p>The demo's identity provider. It signs you in when an app asks for it.</p>,
    <a class="button full" href="/session/end">
      Sign out of Demo ID
    </a>,
  ])
}
