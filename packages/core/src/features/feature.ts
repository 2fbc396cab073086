import type { SessionProof } from "../account/session-proofs.js"
import type { CallbackUrls } from "../checks/callback-url.js"
import type { Csrf } from "../checks/csrf.js"
import type { AuthError } from "../errors/auth-error.js"
import { InvalidProvider } from "../errors/errors.js"
import type { Permission } from "../host/callbacks.js"
import type { Events } from "../host/events.js"
import type { Store } from "../host/store.js"
import type { CookieRules } from "../http/cookie-budget.js"
import type { ResolvedCookies } from "../http/own-cookies.js"
import type { AuthRequest } from "../http/request.js"
import type { Reply } from "../http/response.js"
import type { Log } from "../log/log.js"
import type { FindLocale } from "../messages/locale.js"
import type { SignInSteps } from "../methods/steps.js"
import type { Template } from "../pages/document.js"
import type { Stylesheet } from "../pages/stylesheet.js"
import type { Limits } from "../rate-limit/limiter.js"
import { BoundedMap } from "../runtime/cache.js"
import type { EndAllHook } from "../session/own-sessions.js"
import type { SessionRequest, Sessions, SignedIn } from "../session/session.js"
import type { AdapterAccount, AdapterUser } from "../types/adapter.js"
import type { Awaitable, Theme } from "../types/basics.js"
import type { SignOutMessage } from "../types/callbacks.js"
import type { PagesOptions } from "../types/config.js"
import type { CookieOption, ResponseCookie } from "../types/http.js"
import type { Feature, ResolvedProvider } from "../types/resolved.js"

/** What the built-in pages are rendered from. Available while the configuration is invalid, too. */
export interface PageContext {
  readonly pages: Partial<PagesOptions>
  readonly theme: Theme
  readonly providers: ReadonlyMap<string, ResolvedProvider>
  readonly stylesheet: () => Awaitable<Stylesheet>
  /** The headers of the built-in pages. */
  readonly pageHeaders: () => Awaitable<Readonly<Record<string, string>>>
  readonly pageCache: PageCache
  readonly findLocale: FindLocale
  readonly recentFailures: RecentFailures | null
  /** The URL of an action: origin, base path, and the given path. */
  readonly actionUrl: (request: Pick<AuthRequest, "url">, path: string) => string
}

/** The latest failures by reference, shown on the error page of a developer's own machine. Not kept in production. */
export type RecentFailures = BoundedMap<string, AuthError>

const maxRecentFailures = 50

export function createRecentFailures({ isProduction }: { readonly isProduction: boolean }): RecentFailures | null {
  return isProduction ? null : new BoundedMap(maxRecentFailures)
}

/** The collaborators of the actions. Built once for http and once for https, since cookies differ. */
export interface ActionContext extends PageContext {
  /** Imports the code of a provider's sign-in method when it is first used. */
  readonly loadSteps: (provider: ResolvedProvider) => Awaitable<SignInSteps>
  readonly sessions: Sessions
  readonly store: Store | null
  readonly features: readonly ServiceFeature[]
  readonly permission: Permission
  readonly events: Events
  readonly csrf: Csrf
  readonly limits: Limits
  readonly callbackUrls: CallbackUrls
  readonly log: Log
  readonly cookies: ResolvedCookies
  readonly cookieRules: CookieRules
  readonly referenceCookie: CookieOption
  /** The newest first. */
  readonly secrets: readonly string[]
}

/** The rendered sign-in page by origin and language: a template for the values that differ by visitor. */
export type PageCache = BoundedMap<string, Template<"csrfToken" | "callbackUrl">>

/** Behind a proxy that forwards any Host header, visitors choose the number of origins. */
const maxCachedPages = 32

export function createPageCache(): PageCache {
  return new BoundedMap(maxCachedPages)
}

/** Answers one HTTP method of one action. */
export type Route = (request: AuthRequest, context: ActionContext) => Awaitable<Reply>

/** A feature that works after a sign-out. It must not fail, and the answer does not wait for it. */
export interface SignedOutHook {
  onSignedOut(message: SignOutMessage, request: AuthRequest, context: ActionContext): void
}

/** A feature that sets cookies when a session starts. What it throws refuses the sign-in. */
export interface SessionStartHook {
  /** @param started The cookies of the session. */
  onSessionStart(
    signedIn: SignedIn,
    started: readonly ResponseCookie[],
    request: AuthRequest,
    context: ActionContext,
  ): Promise<readonly ResponseCookie[]>
}

/** A feature that may refuse a user whom a sign-in has just created. */
export interface UserCreatedHook {
  /** Called before the sign-in continues. To refuse it, deletes the user and throws. */
  onUserCreated(user: AdapterUser, request: AuthRequest, context: ActionContext): Promise<void>
}

/** A feature that sets cookies after a session has ended, or decides where the sign-out goes on. */
export interface SignOutHook {
  /**
   * @param target Where the sign-out was to redirect; checked.
   * @returns where it redirects
   */
  onSignOut(
    target: string,
    request: AuthRequest,
    context: ActionContext,
  ): Promise<{ readonly url: string; readonly cookies: readonly ResponseCookie[] }>
}

/** A feature that lets sign-ins wait before their session starts. */
export interface ProviderLogoutHook {
  /** Called before the sessions of a user end who has signed out at a provider: no sign-in from before may go on. */
  onProviderLogout(userId: string, store: Store): Promise<void>
}

/** A feature whose secrets may be known to the thief of an account. */
export interface AddressRestoredHook {
  /** Called when the user has undone a change of their address: secrets that exist now must not sign in any more. */
  onAddressRestored(userId: string, store: Store): Promise<void>
}

/** A feature that keeps something of the user's at linked accounts. */
export interface UnlinkHook {
  /**
   * Called before an account is removed.
   * @returns what to do after it was removed: forget what was kept. It returns the cookies to set
   */
  onUnlink(
    account: Pick<AdapterAccount, "provider" | "providerAccountId" | "userId">,
    request: AuthRequest,
    context: ActionContext,
  ): Promise<() => Promise<readonly ResponseCookie[]>>
}

/** A feature as the service sees it: with any of the methods that are called at some moment of a request. */
export interface ServiceFeature
  extends Feature,
    Partial<
      SessionStartHook &
        UserCreatedHook &
        SignOutHook &
        SignedOutHook &
        ProviderLogoutHook &
        AddressRestoredHook &
        UnlinkHook &
        EndAllHook
    > {
  /** What brought it: an option of the configuration, such as `tokens`, or a provider. */
  readonly feature?: string
}

/** The routes of one path by HTTP method. */
export interface RouteMethods extends Readonly<Partial<Record<AuthRequest["method"], Route>>> {
  /**
   * The format of the answers of a feature's route. `json`: JSON for every client. `own`: as the routes write them, such as a
   * stylesheet. Default: a page or JSON, as the request asks (`features/answer.ts`).
   */
  readonly format?: "json" | "own"
}

/** @throws InvalidProvider when no provider has this id */
export function getProvider(id: string | undefined, { providers }: PageContext): ResolvedProvider {
  const provider = providers.get(id ?? "")
  if (!provider) throw new InvalidProvider("No provider has the id in the path")
  return provider
}

/** A sign-in that is proven, allowed by the host, and has a user. It has no session yet. */
export interface ProvenSignIn {
  readonly signedIn: SignedIn
  /** Whether the host's `authorize` proved it. The `signIn` event then lacks `isNewUser`, as the contract has it. */
  readonly isByCredentials: boolean
  /** Where it leads; checked. */
  readonly url: string
}

/** Decides on every sign-in before its session starts. */
export interface Gate {
  /**
   * Starts the session, or holds the sign-in without a session and redirects to the step that is missing.
   * @throws AccessDenied to refuse it
   */
  admit(signIn: ProvenSignIn, request: AuthRequest, context: ActionContext): Promise<Reply>
  /**
   * Null if an account may be added to the user who is signed in, who could then sign in with it. Otherwise leads to the
   * page where they prove again who they are.
   */
  vetAccount(
    account: AddedAccount,
    user: AdapterUser,
    request: AuthRequest,
    context: ActionContext,
  ): Promise<Reply | null>
  /** Whether the user of the session proved a short time ago who they are, with as many factors as they need. */
  isFresh(request: SessionRequest, context: ActionContext): Promise<boolean>
  /** How the user of this browser's session proved who they are. */
  readProofs(userId: string, request: SessionRequest, context: ActionContext): Promise<readonly SessionProof[]>
}

export type AddedAccount = Pick<SignedIn["account"], "provider" | "type">

/** The feature that decides on sign-ins, if one is set. */
export function findGate({ features }: ActionContext): Gate | undefined {
  // as: the type of features belongs to a lower layer, which does not know replies.
  return features.find((feature) => "admit" in feature) as (ServiceFeature & Gate) | undefined
}

/** A second factor as its user may see it. It holds no secret. */
export interface FactorView {
  /** Identifies the factor for `removeFactor`. */
  readonly id: string
  readonly kind: "totp" | "recovery"
  /** The name that the user gave it. */
  readonly label: string | null
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
  /** How many recovery codes are left. Null for other kinds. */
  readonly codesLeft: number | null
}

/** The page of the account area with the second factors. */
export interface FactorPage {
  readonly url: string
  /** The link for a user who does not want to set one up. */
  readonly back: { readonly url: string; readonly text: string }
}

/** The feature with second factors, as the account area uses it. Its user is that of the request's session. */
export interface FactorsHook {
  listFactors(request: AuthRequest, context: ActionContext): Promise<readonly FactorView[] | null>
  /** Whether users can have recovery codes. */
  readonly offersRecovery: boolean
  /**
   * Answers the forms `begin-totp`, `confirm-totp` and `create-recovery-codes` with pages. Other actions: null.
   * @param page The page that has the forms.
   */
  answerFactorForm(request: AuthRequest, context: ActionContext, page: FactorPage): Promise<Reply | null>
  /** False for an id that is not one of the user's. @throws InvalidRequest for the last one where one is required */
  removeFactor(request: AuthRequest, context: ActionContext, id: string): Promise<boolean | null>
  /**
   * Asked before a passkey is removed. Null if it is the last second factor of a user who must have one.
   * @returns what to do afterwards
   */
  guardPasskey(user: AdapterUser, request: AuthRequest, context: ActionContext): Promise<(() => Promise<void>) | null>
}
