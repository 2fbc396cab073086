import type { Accounts } from "../account/accounts.js"
import type { CallbackUrls } from "../checks/callback-url.js"
import type { Csrf } from "../checks/csrf.js"
import type { ResolvedProvider } from "../config/resolved-provider.js"
import type { Awaitable } from "../contract/awaitable.js"
import type { CookieOption } from "../contract/cookies.js"
import type { PagesOptions } from "../contract/pages.js"
import type { Theme } from "../contract/theme.js"
import type { Events } from "../host/events.js"
import type { Permission } from "../host/permission.js"
import type { Limits } from "../limits/limits.js"
import type { Log } from "../log/log.js"
import type { Sessions } from "../session/sessions.js"
import type { SignInMethod } from "../signin/method.js"
import type { Reply } from "../web/reply.js"
import type { Visit } from "../web/visit.js"
import type { Stylesheet } from "./create-stylesheet.js"
import type { RecentFailures } from "./recent-failures.js"
import type { SignInPrints } from "./sign-in-prints.js"

/** Everything that actions are made of. Each action names what it uses of it. */
export interface ActionNeeds {
  readonly providers: ReadonlyMap<string, ResolvedProvider>
  /** The method of a provider; loaded when it is first used. */
  readonly methodOf: (provider: ResolvedProvider) => Promise<SignInMethod>
  readonly sessions: Sessions
  readonly accounts: Accounts
  readonly permission: Permission
  readonly events: Events
  readonly csrf: Csrf
  readonly limits: Limits
  readonly callbackUrls: CallbackUrls
  readonly pages: Partial<PagesOptions>
  readonly theme: Theme
  readonly log: Log
  readonly referenceCookie: CookieOption
  readonly failures: RecentFailures
  /** Made when the first page is shown. */
  readonly stylesheet: () => Promise<Stylesheet>
  /** Of the built-in pages. */
  readonly pageHeaders: () => Promise<Readonly<Record<string, string>>>
  readonly signInPrints: SignInPrints
  /** Address of an action: origin, base path, and the path below it. */
  readonly actionUrl: (visit: Visit, path: string) => string
}

/** Answers one method of one action. */
export type Route = (visit: Visit, needs: ActionNeeds) => Awaitable<Reply>
