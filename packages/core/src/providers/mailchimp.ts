// Imported as `@latchkey/core/providers/mailchimp`.

import type { AnyValue } from "@latchkey/types"
import type { OAuth2Config, OAuthUserConfig } from "../types/oauth-provider.js"
import { conformFields } from "./_shared/request.js"

/**
 * A user as returned by the Mailchimp API.
 * @see https://mailchimp.com/developer/marketing/guides/access-user-data-oauth-2/
 */
export interface MailchimpProfile {
  readonly login: { readonly login_id: number; readonly email: string }
  readonly accountname: string
  /** URL of the API for this account. */
  readonly api_endpoint?: string
  readonly [field: string]: AnyValue
}

/**
 * Mailchimp sign-in (OAuth 2.0).
 *
 * There are no scopes. The name is that of the Mailchimp account; there is no image. Access tokens do not expire.
 * Register the redirect URI `<origin>/auth/callback/mailchimp`.
 * @see https://mailchimp.com/developer/marketing/guides/access-user-data-oauth-2/
 */
export function Mailchimp(options: OAuthUserConfig<MailchimpProfile> = {}): OAuth2Config<MailchimpProfile> {
  return {
    id: "mailchimp",
    name: "Mailchimp",
    type: "oauth",
    authorization: "https://login.mailchimp.com/oauth2/authorize?scope=",
    token: {
      url: "https://login.mailchimp.com/oauth2/token",
      // `expires_in: 0` means that the token does not expire. Unchanged, it would be stored as expired.
      conform: conformFields(({ expires_in, ...fields }) => (expires_in === 0 ? fields : { ...fields, expires_in })),
    },
    userinfo: "https://login.mailchimp.com/oauth2/metadata",
    profile: ({ login, accountname }) => ({
      id: login.login_id.toString(),
      name: accountname,
      email: login.email,
      image: null,
    }),
    style: { brandColor: "#000", mark },
    options,
  }
}

const mark =
  "M11.3 0C6.8 0-1.8 10.2 1.4 13l.8.6a4 4 0 0 0-.2 1.8q0 1.4 1.2 2.3 1 1 2.4 1A9 9 0 0 0 14 24c4 .1 7.4-1.8 8.8-5.2.1-.2.5-1.3.5-2.3q-.2-1.4-.9-1.3l-.2-.6-.1-.5q.4-.8.3-1.4 0-.4-.5-1a4 4 0 0 0-1.8-.8l-.4-.1V9.3L19.5 8q-.4-1.1-1-1.6 1.9-1.9 1.8-3.6c0-2-2.5-2.7-5.7-1.4l-.7.3L12.7.5q-.6-.5-1.4-.5m0 .9h.5c.3.1 1.3 1.3 1.3 1.3s-1.8 1-3.5 2.4a16 16 0 0 0-5 7q-1.4.3-2 1.3l-.9-.8c-.7-1.3.8-3.9 1.8-5.3 2.3-3.4 5.9-6 7.8-6M14.6 4l-.4.4v.1q1.2 0 2.3.6a9 9 0 0 0-7.3 1.5q1.4-1.7 3-2.5L12 5h.1q1-.6 2.6-.9m3 3.3h.1l.5.1q.7.8.6 1.8v1.5q.2.8.6.8l.5.1q1 .3 1.4.7l.3.5q.1 1-2 2-2.6 1.1-4.9.8h-.5c-1-.2-1.6 1.2-1 2.2.4.6 1.6 1 2.7 1 2.6 0 4.6-1.1 5.3-2l.1-.2c-.6.4-3.3 2-6.2 1.5l-.7-.1q-.6-.1-.9-1c2.4.8 3.8.1 3.8.1V17s-2 .3-3.7-.4c.2-.6.7-.4 1.5-.3a11 11 0 0 0 3.6-.4q1.5-.4 2.8-1.4c.3.6.4 1.3.4 1.3h.4q.3.2.2 1a5 5 0 0 1-1.4 2.7l-1.7 1.2-1 .5c-3 1-5.9-.1-6.8-2.3l-.2-.5c-.4-1.5 0-3.2 1-4.3l.1-.3v-.2c-.4-.6-1.7-1.5-1.5-3.3.2-1.3 1.3-2.2 2.4-2.1h.2l1.3.1q.9.2 1.8-.6.3-.3.7-.4zm0 2.1q-.4.1-.2 1 0 .6.3.8h.5v-.9q0-.8-.5-.9M14 11.1l-1 .3q-.3.2-.3.4l1.2-.2q.6 0 1 .2.3.2.4.1v-.2l-.7-.5zm4 .8-.2.4q0 .3.3.4.3 0 .3-.4 0-.3-.3-.4m-3.5.2q-.5 0-.6.2l-.2.3h.3l1-.1h.3v-.2zm2.3.4-.3.1q0 .3.2.5l.6-.1q0-.3-.3-.5zM5 12.5h.2c.7 0 1.8.6 2 2.2.3 1.4 0 2.8-1.4 3h-.4c-1.2 0-2.5-1-2.7-2.4q-.1-2.2 2-2.8zm0 1a1 1 0 0 0-.9.3q-.5.8-.3 1.2l.3-.1.1-.5a1 1 0 0 1 1-.2q.5.3.3.9l-.2.7q.1.7.7.7l.5-.2V16H6v-.6q.5-.5.2-1.3-.3-.6-.9-.7z"

export default Mailchimp
