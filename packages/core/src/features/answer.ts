import { type AuthError, type AuthErrorType, findKnownType, getErrorPage } from "../errors/auth-error.js"
import {
  CodeWrong,
  EmailSignInError,
  FreshnessRequired,
  HeldExpired,
  InvalidRequest,
  MissingCSRF,
  TooManyRequests,
} from "../errors/errors.js"
import { RefusedInput } from "../errors/refused-input.js"
import { isPage, varyByFormat } from "../http/accept.js"
import { type AuthRequest, findField } from "../http/request.js"
import { json, noStore, type Reply, redirect, withRedirectAsJson } from "../http/response.js"
import type { Awaitable } from "../types/basics.js"
import { type Failure, toFailure } from "./failure.js"
import type { ActionContext, Route } from "./feature.js"
import { toChallenge, toConfirmUrl } from "./freshness.js"
import { toFrame } from "./page.js"

/**
 * Answers a route beyond the contract with a page or with JSON, as the request asks: JSON has a redirect as `{ url }`, and an
 * error as `{ error, message, reference }` with its status. On a page, an error leads to the page of the error.
 */
export function negotiated(route: Route): Route {
  const asJson = answeredAsJson(route)
  return async (request, context) => {
    const reply = await (isPage(request) ? orConfirm(orShowAgain(route)) : asJson)(request, context)
    return { ...reply, headers: { "cache-control": "no-store", ...reply.headers, ...varyByFormat } }
  }
}

/** On a page, a user who must re-authenticate is asked to, and comes back. */
function orConfirm(route: Route): Route {
  return async (request, context) => {
    try {
      return await route(request, context)
    } catch (thrown) {
      const { error, userId } = toFailure(thrown)
      if (!(error instanceof FreshnessRequired)) throw thrown
      context.log.errorOnce(error, { ...request, userId })
      return redirect(toConfirmUrl(request, context, { callbackUrl: context.actionUrl(request, request.route) }))
    }
  }
}

/**
 * On a page, a form whose token was lost is shown again, with a notice: the browser has forgotten the cookie, or the page was
 * open too long. Nothing was done. Not for a form from another origin: it would fail again.
 */
function orShowAgain(route: Route): Route {
  return async (request, context) => {
    try {
      return await route(request, context)
    } catch (thrown) {
      const { error } = toFailure(thrown)
      const isLost = error instanceof MissingCSRF && error.cause?.["error"] !== "foreign-origin"
      const show = isLost ? findPage(request, context) : undefined
      if (!show) throw thrown
      const again: AuthRequest = { ...request, method: "GET", body: keepTyped(request), isStaleForm: true }
      const reply = await orThrow(() => show(again, context), thrown)
      context.log.errorOnce(error, request)
      return reply.redirect === undefined ? { ...reply, status: statuses.MissingCSRF } : reply
    }
  }
}

/** A page that needs a query that is missing cannot be shown again. */
async function orThrow(show: () => Awaitable<Reply>, thrown: unknown): Promise<Reply> {
  try {
    return await show()
  } catch (fault) {
    throw toFailure(fault).error instanceof InvalidRequest ? thrown : fault
  }
}

/** The page with the form: at its own path, or at that of which the form names a part. */
function findPage({ route }: AuthRequest, { features }: ActionContext): Route | undefined {
  const path = route.replace(/\/\*$/, "")
  const own = features.flatMap(({ pages, routes }) => [pages?.[path], routes?.[path]])
  return own.find((methods) => methods?.GET && methods.format === undefined)?.GET
}

/** Fields that hold neither passwords nor codes. A page fills in those that it has. */
const harmless = ["email", "name", "image", "callbackUrl"] as const
const maxTypedLength = 2048

/** What was typed, if the form comes from our own page: another site must not choose what a user's form says. */
function keepTyped(request: AuthRequest): NonNullable<AuthRequest["body"]> {
  if (request.headers.get("origin") !== request.url.origin) return {}
  const typed = harmless.map((name) => [name, findField(request, name)] as const)
  return Object.fromEntries(typed.filter(([, value]) => value !== undefined && value.length <= maxTypedLength))
}

/** Answers a route with JSON for every `Accept` header. */
export function answeredAsJson(route: Route): Route {
  return async (request, context) => {
    try {
      return withRedirectAsJson(await route(request, context))
    } catch (thrown) {
      const { orCompleted } = await import("./completed.js")
      const answered = await orCompleted(toFailure(thrown), request, context)
      return "reply" in answered ? withRedirectAsJson(answered.reply) : refuseAsJson(answered.failure, request, context)
    }
  }
}

async function refuseAsJson(
  { error, cookies, userId }: Failure,
  request: AuthRequest,
  context: ActionContext,
): Promise<Reply> {
  context.log.errorOnce(error, { ...request, userId })
  const challenge = error instanceof FreshnessRequired ? toChallenge(request, context) : undefined
  const allow = error.cause?.["allow"]
  const status = toStatus(error)
  const headers = {
    ...noStore,
    ...(status === 503 && { "retry-after": retryAfterFailure }),
    ...(error instanceof TooManyRequests && { "retry-after": String(error.retryAfterSeconds) }),
    ...(typeof allow === "string" && { allow }),
    ...challenge?.headers,
  }
  const message = await findSentence(error, request, context)
  return json({ ...describe(error), message, ...challenge?.body }, { status, cookies, headers })
}

/** A sentence for the user. Undefined for a mistake of the client, and if the sentence cannot be found: the error counts. */
async function findSentence(
  error: AuthError,
  request: AuthRequest,
  context: ActionContext,
): Promise<string | undefined> {
  try {
    const frame = await toFrame(request, context)
    const own = await Promise.all(
      context.features.map((feature) => feature.sentenceOf?.(error, request, frame, context)),
    )
    const found = own.find((sentence) => sentence !== undefined)
    if (found !== undefined || error instanceof InvalidRequest) return found
    const { findSentence: find } = await import("../pages/simple-pages.js")
    const wait = error instanceof TooManyRequests ? error.retryAfterSeconds : undefined
    return find(toShown(error), frame, wait)
  } catch (thrown) {
    context.log.errorOnce(toFailure(thrown).error, request)
    return undefined
  }
}

/** What the page of an error would say. */
function toShown(error: AuthError): { readonly error: string; readonly code?: string | undefined } {
  if (error instanceof HeldExpired) return { error: "Configuration", code: "stale-flow" }
  if (error instanceof EmailSignInError)
    return { error: "EmailSignin", code: error.cause?.["concerns"] === "provider" ? "service" : "address" }
  const code = error.cause?.["error"]
  return { error: getErrorPage(error).error, code: typeof code === "string" ? code : undefined }
}

/** Seconds after which a client may ask again when the store has failed. */
const retryAfterFailure = "5"

function toStatus(error: AuthError): number {
  return error instanceof InvalidRequest ? error.status : statuses[findKnownType(error)]
}

/**
 * The HTTP status of every error type. Exhaustive: a new type does not compile without an entry.
 * @internal Exported for its test.
 */
export const statuses: Readonly<Record<AuthErrorType, number>> = {
  AccessDenied: 403,
  AccessTokenUnavailable: 500,
  AccountNotLinked: 403,
  AdapterError: 503,
  AuthError: 500,
  CallbackRouteError: 500,
  CodeSpent: 400,
  CodeWrong: 400,
  CredentialsSignin: 400,
  DuplicateConditionalUI: 500,
  EmailSignInError: 400,
  ErrorPageLoop: 500,
  EventError: 500,
  ExperimentalFeatureNotEnabled: 500,
  FreshnessRequired: 403,
  HeldExpired: 401,
  HeldTooLarge: 500,
  InvalidCallbackUrl: 400,
  InvalidCheck: 400,
  InvalidConfiguration: 500,
  InvalidEndpoints: 500,
  InvalidProvider: 400,
  InvalidRequest: 400,
  JWTSessionError: 500,
  LogoutTokenInvalid: 400,
  MissingAdapter: 500,
  MissingAdapterMethods: 500,
  MissingAuthorize: 500,
  MissingCSRF: 403,
  MissingSecret: 500,
  MissingWebAuthnAutocomplete: 500,
  OAuthAccountNotLinked: 403,
  OAuthCallbackError: 400,
  OAuthProfileParseError: 500,
  OAuthSignInError: 500,
  SecondFactorWrong: 400,
  SessionTokenError: 503,
  SignOutError: 500,
  TooManyRequests: 429,
  UnknownAction: 404,
  UnsupportedStrategy: 500,
  UntrustedHost: 500,
  Verification: 400,
  WebAuthnVerificationError: 400,
}

/** The JSON of an error. Never echoes input. */
function describe(error: AuthError): object {
  const { type, reference } = error
  const { code, field, reason } = error instanceof RefusedInput ? error : { field: findWrongField(error) }
  return { error: type, code, field, reason, reference }
}

/** The field that an error is about, if there is only one. */
function findWrongField(error: AuthError): string | undefined {
  if (error instanceof CodeWrong) return "code"
  return error instanceof EmailSignInError && error.cause?.["concerns"] !== "provider" ? "email" : undefined
}
