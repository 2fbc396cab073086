/** @jsxImportSource #markup */

import { translateFrom } from "../../messages/translate.js"
import type { PageFrame } from "../../pages/document.js"
import { HiddenFields, SubmitButton } from "../../pages/form.js"
import { renderFormPage } from "../form-page.js"

/** The messages of the page that asks before an app is signed in. `{host}` and `{app}` are filled in everywhere. */
export const nativeMessages = {
  heading: "Sign in to {app}?",
  text: "You are signed in to {host} as {account}. {app} on this device will be signed in with this account.",
  textWithoutAccount: "You are signed in to {host}. {app} on this device will be signed in with this account.",
  warning: "Continue only if you have just started this in {app}.",
  continue: "Continue to {app}",
  cancel: "Cancel",
  other: "Use another account",
} as const

export interface ConsentContent {
  /** The name of the app. */
  readonly app: string
  /** The name or email address of the user. Undefined if the session has neither. */
  readonly account: string | undefined
  readonly csrfToken: string | undefined
  /** What is asked for, sealed. */
  readonly ticket: string
  /** The form's target. */
  readonly action: string
  /** The sign-in page, which comes back to this one. */
  readonly signInUrl: string
}

/** Asks before an app on the device is signed in: another app, or a link, may have opened the browser (RFC 8252 section 8.6). */
export function renderConsentPage(content: ConsentContent, frame: PageFrame): string {
  const { app, account, csrfToken, ticket, action, signInUrl } = content
  const translate = translateFrom(nativeMessages, "native.", frame.locale, { host: frame.siteName, app })
  return renderFormPage(
    {
      heading: translate("heading"),
      content: (
        <>
          <p>{account === undefined ? translate("textWithoutAccount") : translate("text", { account })}</p>
          <p>{translate("warning")}</p>
          <form class="form" action={action} method="post">
            <HiddenFields csrfToken={csrfToken} ticket={ticket} choice="continue" />
            <SubmitButton text={translate("continue")} isMain={true} />
          </form>
          <form class="form" action={action} method="post">
            <HiddenFields csrfToken={csrfToken} ticket={ticket} choice="cancel" />
            <SubmitButton text={translate("cancel")} isMain={false} />
          </form>
        </>
      ),
      links: [{ url: signInUrl, text: translate("other") }],
    },
    frame,
  )
}
