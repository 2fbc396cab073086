/** @jsxImportSource #markup */

import { translateFrom } from "../../messages/translate.js"
import type { PageFrame } from "../../pages/document.js"
import { HiddenFields, SubmitButton } from "../../pages/form.js"
import { renderFormPage } from "../form-page.js"
import { nativeMessages } from "./messages.js"

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
