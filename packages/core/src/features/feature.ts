import type { TokenWriter } from "../account/link-oauth.js"
import type { AuthMethod } from "../account/proof.js"
import type { SessionProof } from "../account/session-proofs.js"
import type { AccountCredential } from "../account/unfinished.js"
import type { CallbackUrls } from "../checks/callback-url.js"
import type { Csrf } from "../checks/csrf.js"
import type { AuthError } from "../errors/auth-error.js"
import { InvalidProvider } from "../errors/errors.js"
import type { HostCallbacks, Permission } from "../host/callbacks.js"
import type { Events } from "../host/events.js"
import type { Store } from "../host/store.js"
import type { Uploads } from "../http/body.js"
import type { CookieRules } from "../http/cookie-budget.js"
import type { CookieJar } from "../http/cookies.js"
import type { AllowedOrigins } from "../http/origin.js"
import type { CookieScheme, ResolvedCookies } from "../http/own-cookies.js"
import type { AuthRequest, Routing } from "../http/request.js"
import type { Reply } from "../http/response.js"
import type { Log } from "../log/log.js"
import type { OwnSender } from "../mail/own-sender.js"
import type { FindLocale, Locale, LocalizedRequest } from "../messages/locale.js"
import type { SignInSteps } from "../methods/steps.js"
import type { PageFrame, Template } from "../pages/document.js"
import type { Stylesheet } from "../pages/stylesheet.js"
import type { Limits } from "../rate-limit/limiter.js"
import { BoundedMap } from "../runtime/cache.js"
import { andThen } from "../runtime/promise.js"
import type { SessionRequest, Sessions, SignedIn } from "../session/session.js"
import type { TrackerDeps } from "../session/tracking.js"
import type { AdapterAccount, AdapterUser } from "../types/adapter.js"
import type { Awaitable, Theme } from "../types/basics.js"
import type { SignOutMessage } from "../types/callbacks.js"
import type { PagesOptions } from "../types/config.js"
import type { AuthContext, CookieOption, IncomingHeaders, IncomingRequest, ResponseCookie } from "../types/http.js"
import type { JWT } from "../types/jwt.js"
import type { Provider, ProviderConfig } from "../types/providers.js"
import type { ResolvedConfig, ResolvedProvider } from "../types/resolved.js"
import type { AppFunctions } from "./functions.js"

/** A request for a page. Its connection is unknown while the request cannot be read. */
export type PageRequest = Pick<AuthRequest, "url" | "headers"> & Partial<Pick<AuthRequest, "context" | "isStaleForm">>

/** How the address in the browser differs from that of the request. */
export type Difference = "scheme" | "host" | "path"

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
  /** How the address in the browser differs from the one that the service was told, which is logged once. */
  readonly checkAddress?: (request: PageRequest) => Awaitable<Difference | null>
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
  /** The provider with an id: of the configuration, else of a feature. */
  readonly findProvider: (id: string | undefined) => Awaitable<ResolvedProvider | undefined>
  /** Imports the code of a provider's sign-in method when it is first used. */
  readonly loadSteps: (provider: ResolvedProvider) => Awaitable<SignInSteps>
  readonly sessions: Sessions
  /** Sessions without records, over another store. */
  readonly sessionsOver: (store: Store | null) => Sessions
  readonly store: Store | null
  readonly config: ServiceConfig
  /** In an order of their own: their places in the configuration do not matter. */
  readonly features: readonly Feature[]
  readonly slots: Slots
  readonly allowedOrigins: AllowedOrigins | null
  /** The credentials that the configured providers accept. */
  readonly accountCredentials: ReadonlySet<AccountCredential | undefined>
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

/** The routes of one path by HTTP method. */
export interface RouteMethods extends Readonly<Partial<Record<AuthRequest["method"], Route>>> {
  /**
   * The format of the answers of a feature's route. `json`: JSON for every client. `own`: as the routes write them, such as a
   * stylesheet. Default: a page or JSON, as the request asks (`features/answer.ts`).
   */
  readonly format?: "json" | "own"
  /** How it reads forms with files. Default: not at all. */
  readonly uploads?: Uploads | undefined
}

/** Routes by path below the base path. `*` as the last segment stands for any one segment. */
export type FeatureRoutes = Readonly<Record<string, RouteMethods>>

/** A configuration with every default filled in, and the features that are switched on. */
export interface ServiceConfig extends ResolvedConfig {
  readonly features: readonly Feature[]
}

/**
 * What an option of the configuration or a sign-in method adds to the service. Its factory makes it, and brings its code
 * along, so that a bundler leaves out the features that an app does not import.
 *
 * All but the first two members are optional. A slot is filled by one feature; a moment is told to all. `slots.ts` puts them in order, so that
 * no feature depends on its place in a configuration.
 */
export interface Feature extends Partial<SlotMembers> {
  /** The option or the provider that brings it. No two features have the same. */
  readonly feature: string
  /** `featureFrame` of `slots.ts`. */
  readonly frame: FeatureFrame
  /** The name of the app in its options. Default of `theme.name`. */
  readonly siteName?: string | undefined
  /** What its own code shares, such as its options. `getOwn` reads it. */
  readonly own?: object
  /** The features that it needs. They are switched on unless the configuration has features of these names. */
  readonly brings?: readonly Feature[]
  /** The feature with the options of providers inside of it that `fill` sets from environment variables. */
  fillNested?(fill: (nested: Provider) => ProviderConfig): object
  /** The first mistake in its options, or in what it needs, such as methods that the adapter lacks. Null if there is none. */
  validate?(config: ServiceConfig): AuthError | null
  /** Sentences about values of its options that have no effect. Outside of production only. */
  listIneffective?(): Promise<readonly string[]>
  /** Its routes. They are not actions: without the feature they do not exist. */
  readonly routes?: FeatureRoutes
  /** Routes that answer before those of another feature at the same path, and pass on what they do not answer. */
  readonly pages?: FeatureRoutes
  /** The title of a page of the feature, for the page that asks for a proof first. Undefined for other paths. */
  titleOf?(path: string, locale: Locale): Promise<string | undefined>
  /** A sentence for the user about an error of the feature, as its pages say it. Undefined for others. */
  sentenceOf?(
    error: AuthError,
    request: AuthRequest,
    frame: PageFrame,
    context: ActionContext,
  ): Promise<string | undefined>
  /** Lines on the overview of the account area. Each leads to `account/<name>`, one of the feature's routes. */
  readonly accountLines?: readonly AccountLine[]
  /** What apps and integrations call. */
  readonly functions?: Partial<AppFunctions>
  /** Finds a provider that is not in the configuration, such as one that is stored. */
  findProvider?(id: string, context: ActionContext): Awaitable<ResolvedProvider | undefined>
  /** Adds to what the app's callbacks get and return. Called once for http and once for https. */
  wrapCallbacks?(callbacks: HostCallbacks, scheme: CookieScheme, config: ResolvedConfig): HostCallbacks

  /**
   * Asked about a proven sign-in before the gate, and again when a sign-in goes on that the gate has held. A reply is sent
   * in place of a session.
   * @throws AccessDenied to refuse the sign-in
   */
  vetSignIn?(signIn: ProvenSignIn, request: AuthRequest, context: ActionContext): Promise<Reply | null>
  /**
   * Sets cookies and headers when a session starts. What it throws refuses the sign-in.
   * @param started The cookies of the session.
   */
  onSessionStart?(
    signedIn: SignedIn,
    started: readonly ResponseCookie[],
    request: AuthRequest,
    context: ActionContext,
  ): Promise<StartExtras>
  /** Called before the sign-in of a new user continues. To refuse it, deletes the user and throws. */
  onUserCreated?(user: AdapterUser, request: AuthRequest, context: ActionContext): Promise<void>
  /**
   * Sets cookies after a session has ended, or decides where the sign-out goes on.
   * @param target Where the sign-out was to redirect; checked.
   * @returns where it redirects
   */
  onSignOut?(
    target: string,
    request: AuthRequest,
    context: ActionContext,
  ): Promise<{ readonly url: string; readonly cookies: readonly ResponseCookie[] }>
  /** Runs in the background after a sign-out. Must not throw. */
  onSignedOut?(message: SignOutMessage, request: AuthRequest, context: ActionContext): void
  /**
   * Called before the sessions of a user end who has signed out at a provider, or removed a way to sign in: no sign-in from
   * before may go on.
   */
  onProviderLogout?(userId: string, store: Store): Promise<void>
  /** Called when the user has undone a change of their address: secrets that exist now must not sign in any more. */
  onAddressRestored?(userId: string, store: Store): Promise<void>
  /** Called before all sessions of a user end, or all but one: a session that begins with it meanwhile ends, too. */
  onEndAll?(userId: string, store: Store): Promise<void>
  /**
   * Called before a linked account is removed.
   * @returns what to do after it was removed: forget what was kept. It returns the cookies to set
   */
  onUnlink?(
    account: Pick<AdapterAccount, "provider" | "providerAccountId" | "userId">,
    request: AuthRequest,
    context: ActionContext,
  ): Promise<() => Promise<readonly ResponseCookie[]>>
}

/** A part of the account area that a feature adds. */
export interface AccountLine {
  /** The last segment of its path. */
  readonly name: string
  /** What it shows to the user. */
  show(user: AdapterUser, context: ActionContext): Awaitable<ShownLine>
}

export interface ShownLine {
  /** Its part of the JSON of `GET account`. It holds no secret. */
  readonly json: object
  title(frame: PageFrame): string
  /** The state in a few words. */
  summarize(frame: PageFrame): string
}

/** Joins the features of a configuration. Each brings it along, so that apps without features do not bundle it. */
export interface FeatureFrame {
  /**
   * The features with those that they bring, each once, in the order of their names: what a feature does must not depend on
   * its place in a configuration or in a list of providers.
   */
  arrange(given: readonly Feature[]): readonly Feature[]
  /** The first mistake in the options of the features, or what two features both are. */
  validate(config: ServiceConfig): AuthError | null
  /** The slots of a configuration whose features have no conflict. */
  fillSlots(features: readonly Feature[]): Slots
  /** The routes of all features. Pages come before other routes of the same path. */
  joinRoutes(features: readonly Feature[]): FeatureRoutes
  /** The route of a path, which answers in the format that the client asks for. Errors too. */
  getRoute(methods: RouteMethods, method: AuthRequest["method"]): Route
  /** The title of the page that needs a proof, if it is one of the service. It says what the user is asked for. */
  findTitle(
    callbackUrl: string,
    request: PageRequest,
    context: ActionContext,
    frame: Pick<PageFrame, "locale">,
  ): Promise<string | undefined>
  /** Asks the features for a provider that is not in the configuration. Needs no promise if none has any. */
  findProvider(id: string, context: ActionContext): Awaitable<ResolvedProvider | undefined>
}

/** What a feature adds to the answer that starts a session. */
export type StartExtras = Pick<Reply, "cookies" | "headers">

/** What one feature does for the whole service. Two features with the same slot are a mistake in the configuration. */
export interface SlotMembers {
  /** Decides on every sign-in before its session starts. */
  readonly gate: Gate
  /** Takes the place of the gate in a configuration without one. */
  readonly defaultGate: Gate
  /** Signs requests in by a token in a header, in place of cookies. */
  readonly bearer: Bearer
  /** Accepts the sessions of other libraries. */
  readonly acceptor: Acceptor
  /**
   * Finds the locale of a request. Never fails: a visitor would see no page.
   * @param report Gets the errors of the app's own functions.
   */
  findLocale(request: LocalizedRequest, report: (error: Error) => void): Locale | Promise<Locale>
  /** Sends emails, of other features too. */
  mailer(): OwnSender
  /** How the tokens of linked accounts are stored. */
  openTokens(store: Store, secrets: readonly string[]): TokenWriter
  /** Keeps a record of each session of either strategy, so that it can be listed and ended. */
  trackSessions(deps: TrackerDeps): Sessions
  /** The second factors of users, as the account area uses them. */
  readonly factors: Factors
  /** Answers a request for a path that the service does not have. Null for all others, which are refused. */
  answerUnknown(received: ReceivedRequest, service: ServedBy): Promise<Reply | null>
}

/** The filled slots. */
export type Slots = { readonly [Name in keyof Omit<SlotMembers, "defaultGate">]?: SlotMembers[Name] | undefined }

/** A request and its connection. */
export interface ReceivedRequest {
  readonly request: IncomingRequest
  readonly context: AuthContext | undefined
}

/** The parts of a URL that the collaborators depend on. */
export interface SchemeAndHost {
  readonly protocol: string
  readonly hostname?: string
}

/** The service, as far as a bearer knows it. */
export interface ServedBy extends Routing {
  /** The first mistake in the configuration. Null if it is valid. */
  readonly mistake: AuthError | null
  /** @param url Without a host, nothing is logged about its scheme. */
  contextFor(url: SchemeAndHost): ActionContext
}

/** Signs requests in by a token in a header. */
export interface Bearer {
  /** Answers a request with a token of ours, without setting cookies. Null for every other request. */
  serve(
    received: ReceivedRequest,
    next: (own: ReceivedRequest) => Awaitable<Reply>,
    service: ServedBy,
  ): Promise<Reply> | null
  /** The session cookie that a token stands for, alone. Null for a request without a token of ours. */
  readToken(headers: Pick<IncomingHeaders, "get">, context: ActionContext): Promise<CookieJar> | null
}

/** Gives browsers with a session of another library one of ours. */
export interface Acceptor {
  /** Answers a request with such a session, and sets its cookies. Null for every other request. */
  serve(
    request: AuthRequest,
    context: ActionContext,
    next: (own: AuthRequest) => Awaitable<Reply>,
  ): Promise<Reply> | null
  /** The cookies with those of a session of ours that such a session led to before. Null for every other request. */
  readJar(visit: SessionRequest, context: ActionContext): Promise<CookieJar> | null
}

/** A reader of sessions of another library: a value of `session.accept`. */
export interface SourcePart {
  /** Joins all readers of a configuration into one feature. */
  join(sources: readonly unknown[]): Feature
  /** The claims of a session in its cookies, for code that reads tokens alone. Null if there is none. */
  findClaims(jar: CookieJar): Promise<JWT | null>
}

/** A sign-in that is proven, allowed by the host, and has a user. It has no session yet. */
export interface ProvenSignIn {
  readonly signedIn: SignedIn
  /** Whether the host's `authorize` proved it. The `signIn` event then lacks `isNewUser`, as the contract has it. */
  readonly isByCredentials: boolean
  /** Where it leads; checked. */
  readonly url: string
  /** The requests that completed it: see `completed.ts`. Default: it can be sent again. */
  readonly completes?: Completes
}

/** What the browser remembers about the requests that completed a sign-in. */
interface Completes {
  readonly keys: readonly string[]
  /** Where they lead when they are sent again. Default: where the sign-in leads. */
  readonly url?: string
}

/** Decides on every sign-in before its session starts. */
export interface Gate {
  /** Whether every user needs a second factor. Default: false. */
  readonly isForAll?: boolean
  /**
   * Starts the session, or holds the sign-in without a session and redirects to the step that is missing.
   * @throws AccessDenied to refuse it
   */
  admit(signIn: ProvenSignIn, request: AuthRequest, context: ActionContext): Promise<Reply>
  /**
   * Null if an account may be added to the user who is signed in, who could then sign in with it. Otherwise leads to the
   * page where they re-authenticate.
   */
  vetAccount(
    account: AddedAccount,
    user: AdapterUser,
    request: AuthRequest,
    context: ActionContext,
  ): Promise<Reply | null>
  /**
   * Whether a session of this user from before `session.track`, or of another library, may go on: it has proved nothing to
   * the gate. Default: true.
   * @param achieved What it proved elsewhere, if the app relies on it. Default: nothing.
   */
  admitsAdopted?(user: AdapterUser, context: ActionContext, achieved?: readonly AuthMethod[]): Promise<boolean>
  /** Whether the user re-authenticated recently, with every factor they have. */
  isFresh(request: SessionRequest, context: ActionContext): Promise<boolean>
  /** How the user of this browser's session proved who they are. */
  readProofs(userId: string, request: SessionRequest, context: ActionContext): Promise<readonly SessionProof[]>
}

export type AddedAccount = Pick<SignedIn["account"], "provider" | "type">

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
  /** Its page with the key of an authenticator app. */
  readonly setupUrl: string
  /** The link for a user who does not want to set one up. */
  readonly back: { readonly url: string; readonly text: string }
}

/** The second factors of the user of a request's session. */
export interface Factors {
  listFactors(request: AuthRequest, context: ActionContext): Promise<readonly FactorView[] | null>
  /** Whether users can have recovery codes. */
  readonly offersRecovery: boolean
  /**
   * Answers the forms `begin-totp`, `confirm-totp` and `create-recovery-codes` of a page. Other actions: null.
   * @param page The page that has the forms.
   */
  answerFactorForm(request: AuthRequest, context: ActionContext, page: FactorPage): Promise<Reply | null>
  /** The page at `setupUrl`. Null when signed out. */
  showFactorSetup(request: AuthRequest, context: ActionContext, page: FactorPage): Promise<Reply | null>
  /** False for an id that is not one of the user's. @throws InvalidRequest for the last one where one is required */
  removeFactor(request: AuthRequest, context: ActionContext, id: string): Promise<boolean | null>
  /**
   * Asked before a passkey is removed. Null if it is the last second factor of a user who must have one.
   * @returns what to do afterwards
   */
  guardPasskey(user: AdapterUser, request: AuthRequest, context: ActionContext): Promise<(() => Promise<void>) | null>
}

/** The feature that decides on sign-ins, if one is set. */
export function findGate({ slots }: Pick<ActionContext, "slots">): Gate | undefined {
  return slots.gate
}

/** What the code of a feature shares. Undefined if the feature is not switched on. */
export function getOwn<Own extends object>(
  { features }: Pick<ServiceConfig, "features">,
  name: string,
): Own | undefined {
  // as: a feature's own code has put it there, and no other code reads it.
  return features.find(({ feature }) => feature === name)?.own as Own | undefined
}

/** @throws InvalidProvider when no provider has this id */
export function getProvider(id: string | undefined, context: ActionContext): Awaitable<ResolvedProvider> {
  return andThen(context.findProvider(id), (provider) => {
    if (!provider) throw new InvalidProvider("No provider has the id in the path")
    return provider
  })
}
