import type { Accounts } from "../account/accounts.js"
import type { CallbackUrls } from "../checks/callback-url.js"
import type { Csrf } from "../checks/csrf.js"
import type { AuthError } from "../errors/auth-error.js"
import { InvalidProvider } from "../errors/errors.js"
import type { Permission } from "../host/callbacks.js"
import type { Events } from "../host/events.js"
import type { AuthRequest } from "../http/request.js"
import type { Reply } from "../http/response.js"
import type { Log } from "../log/log.js"
import type { SignInMethod } from "../methods/method.js"
import type { DeveloperDetails, Template } from "../pages/document.js"
import type { Stylesheet } from "../pages/stylesheet.js"
import type { Limits } from "../rate-limit/limiter.js"
import { BoundedMap } from "../runtime/cache.js"
import type { Sessions } from "../session/session.js"
import type { Awaitable, Theme } from "../types/basics.js"
import type { PagesOptions } from "../types/config.js"
import type { CookieOption } from "../types/http.js"
import type { ResolvedProvider } from "../types/resolved.js"

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
  readonly signInPrints: PageCache
  /** Address of an action: origin, base path, and the path below it. */
  readonly actionUrl: (request: AuthRequest, path: string) => string
}

/** Answers one method of one action. */
export type Route = (request: AuthRequest, needs: ActionNeeds) => Awaitable<Reply>

/** Answers that are about one visitor and one moment. */
export const noStore: Readonly<Record<string, string>> = {
  "cache-control": "private, no-cache, no-store",
  expires: "0",
  pragma: "no-cache",
}

/** @throws InvalidProvider when no provider has this id */
export function getProvider(id: string | undefined, { providers }: Pick<ActionNeeds, "providers">): ResolvedProvider {
  if (id === undefined) throw new InvalidProvider("The path names no provider")
  const provider = providers.get(id)
  if (!provider) throw new InvalidProvider("No provider has the id in the path")
  return provider
}

/** What the log said of the last few failures, for the developer who looks at the error page on their own machine. */
interface RecentFailures {
  remember(error: AuthError): void
  find(reference: string): DeveloperDetails | undefined
}

const maxRecentFailures = 50
const maxCauses = 5

/** For development alone: in production nothing is kept and nothing found. */
export function createRecentFailures({ isProduction }: { readonly isProduction: boolean }): RecentFailures {
  const failures = new BoundedMap<string, DeveloperDetails>(maxRecentFailures)
  return {
    remember(error) {
      if (!isProduction) failures.set(error.reference, describeFailure(error))
    },
    find: (reference) => failures.get(reference),
  }
}

export function describeFailure(error: AuthError): DeveloperDetails {
  return { type: error.type, message: error.message, causes: listCauses(error) }
}

function listCauses(error: AuthError): readonly string[] {
  const causes: string[] = []
  for (let inner = error.cause?.err; inner && causes.length < maxCauses; inner = toInner(inner))
    causes.push(inner.message)
  return [...new Set(causes)].filter((text) => text !== "" && text !== error.message)
}

function toInner({ cause }: Error): Error | undefined {
  if (cause instanceof Error) return cause
  const err: unknown = typeof cause === "object" && cause !== null && "err" in cause ? cause.err : undefined
  return err instanceof Error ? err : undefined
}

/** The sign-in page as most visitors see it, by origin and language: printed once, and filled in for each. */
type PageCache = BoundedMap<string, Template<"csrfToken" | "callbackUrl">>

/** A service has a few origins; behind a proxy that passes on any host, visitors choose how many. */
const maxCachedPages = 32

export function createPageCache(): PageCache {
  return new BoundedMap(maxCachedPages)
}
