import type { accountMailMessages } from "../features/account-area/mail-messages.js"
import type { accountMessages } from "../features/account-area/messages.js"
import type { nativeMessages } from "../features/native-apps/consent-page.js"
import type { factorMessages } from "../features/second-factors/messages.js"
import type { mailMessages } from "../mail/message.js"
import type { noticeMessages } from "../mail/notices.js"
import type { passwordMailMessages } from "../methods/password/mail-messages.js"
import type { passwordMessages } from "../methods/password/messages.js"
import type { passkeyMessages } from "../pages/passkey-form.js"
import type { Plural } from "./locale.js"
import type { pageMessages } from "./pages.js"

type Prefixed<Prefix extends string, List> = {
  readonly [Id in keyof List & string as `${Prefix}.${Id}`]: List[Id] extends string ? string : Plural
}

/**
 * Every message of the built-in pages and emails by id, in one language: a language without one of them does not compile.
 * Each feature has its English messages beside it, in `messages.ts`. Only types are imported here, so that an app bundles the
 * English messages of the features that it uses.
 */
export type Messages = { readonly [Id in keyof typeof pageMessages]: string } & Prefixed<
  "passkey",
  typeof passkeyMessages
> &
  Prefixed<"mail", typeof mailMessages> &
  Prefixed<"notice", typeof noticeMessages> &
  Prefixed<"password", typeof passwordMessages> &
  Prefixed<"passwordMail", typeof passwordMailMessages> &
  Prefixed<"factor", typeof factorMessages> &
  Prefixed<"native", typeof nativeMessages> &
  Prefixed<"account", typeof accountMessages> &
  Prefixed<"accountMail", typeof accountMailMessages>
