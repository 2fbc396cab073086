import { type AuthError, getErrorPage } from "../errors/auth-error.js"
import { CodeWrong, EmailSignInError, FreshnessRequired, InvalidRequest, TooManyRequests } from "../errors/errors.js"
import { RefusedInput } from "../errors/refused-input.js"
import { isPage, varyByFormat } from "../http/accept.js"
import type { AuthRequest } from "../http/request.js"
import { json, noStore, type Reply, redirect, withRedirectAsJson } from "../http/response.js"
import { toFailure } from "./failure.js"
import type { ActionContext, Route } from "./feature.js"
import { toChallenge, toConfirmUrl } from "./freshness.js"

/**
 * Answers a route beyond the contract with a page or with JSON, as the request asks: JSON has a redirect as `{ url }`, and an
 * error as `{ error, reference }` with its status. On a page, an error leads to the page of the error.
 */
export function negotiated(route: Route): Route {
  const asJson = answeredAsJson(route)
  return async (request, context) => {
    const reply = await (isPage(request) ? orConfirm(route) : asJson)(request, context)
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

/** Answers a route with JSON, whatever the client accepts. */
export function answeredAsJson(route: Route): Route {
  return async (request, context) => {
    try {
      return withRedirectAsJson(await route(request, context))
    } catch (thrown) {
      return refuseAsJson(thrown, request, context)
    }
  }
}

function refuseAsJson(thrown: unknown, request: AuthRequest, context: ActionContext): Reply {
  const { error, cookies, userId } = toFailure(thrown)
  context.log.errorOnce(error, { ...request, userId })
  const challenge = error instanceof FreshnessRequired ? toChallenge(request, context) : undefined
  const allow = error.cause?.["allow"]
  const headers = {
    ...noStore,
    ...(error instanceof TooManyRequests && { "retry-after": String(error.retryAfterSeconds) }),
    ...(typeof allow === "string" && { allow }),
    ...challenge?.headers,
  }
  return json({ ...describe(error), ...challenge?.body }, { status: toStatus(error), cookies, headers })
}

function toStatus(error: AuthError): number {
  return error instanceof InvalidRequest ? error.status : getErrorPage(error).status
}

/** The JSON of an error. Never echoes input. */
function describe(error: AuthError): object {
  const { type, reference } = error
  const { code, field, reason } = error instanceof RefusedInput ? error : { field: findField(error) }
  return { error: type, code, field, reason, reference }
}

/** The field that an error is about, if there is only one. */
function findField(error: AuthError): string | undefined {
  if (error instanceof CodeWrong) return "code"
  return error instanceof EmailSignInError && error.cause?.["concerns"] !== "provider" ? "email" : undefined
}
