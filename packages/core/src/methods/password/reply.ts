import type { AuthError } from "../../errors/auth-error.js"
import {
  CodeSpent,
  CodeWrong,
  EmailSignInError,
  FreshnessRequired,
  InvalidRequest,
  MissingCSRF,
  TooManyRequests,
  Verification,
} from "../../errors/errors.js"
import { toFailure } from "../../features/failure.js"
import type { Route } from "../../features/feature.js"
import { toChallenge } from "../../features/freshness.js"
import { prefersJson, toFrame, toPage } from "../../features/page.js"
import type { AuthRequest } from "../../http/request.js"
import { json, noStore, Refusal, type Reply, withRedirectAsJson } from "../../http/response.js"
import { type FormPage, type PageError, renderFormPage } from "./page.js"
import { PasswordRefused } from "./text.js"
import type { Visit } from "./tools.js"

/** The current password was not given, or is wrong. */
export class CurrentPasswordWrong extends InvalidRequest {
  static override readonly type: string = "CurrentPasswordWrong"
}

/** A page, before it is rendered. Its form gets the CSRF token. */
export type PageDraft = Omit<FormPage, "least" | "error">

/** Shows a page. With an error, its status is 400: browsers then do not offer to save the password. */
export async function showPage(draft: PageDraft, error: PageError | undefined, visit: Visit): Promise<Reply> {
  const { request, context, tools } = visit
  const csrf = draft.form ? await context.csrf.issue(request.cookies) : { token: undefined, cookies: [] }
  const form = draft.form && { ...draft.form, hidden: { csrfToken: csrf.token, ...draft.form.hidden } }
  const page = { ...draft, ...(form && { form }), error, least: tools.minLength }
  const reply = await toPage(renderFormPage(page, await toFrame(request, context)), context, {
    cookies: csrf.cookies,
    ...(error && { status: 400 }),
  })
  // The URL may have a token that still works. Browsers still send the origin with the form.
  return { ...reply, headers: { ...reply.headers, "referrer-policy": "strict-origin" } }
}

/** Does the work of a form. An error that a page can explain is logged, and shown on that page. */
export async function orShow(
  work: () => Promise<Reply>,
  show: (error: PageError) => Promise<Reply>,
  { request, context }: Visit,
): Promise<Reply> {
  try {
    return await work()
  } catch (thrown) {
    const error = findPageError(thrown)
    if (!error || prefersJson(request)) throw thrown
    context.log.errorOnce(toFailure(thrown).error, request)
    return show(error)
  }
}

/** What a page says about an error. Undefined for one that has a page of its own. */
function findPageError(thrown: unknown): PageError | undefined {
  const error = thrown instanceof Refusal ? thrown.error : thrown
  if (error instanceof PasswordRefused) return { word: `error.${error.code}`, field: "password" }
  if (error instanceof CurrentPasswordWrong) return { word: "error.current", field: "current" }
  if (error instanceof CodeWrong) return { word: "error.code", field: "code" }
  if (error instanceof CodeSpent || error instanceof Verification) return { word: "error.link" }
  if (!(error instanceof EmailSignInError)) return undefined
  return error.cause?.["concerns"] === "provider" ? { word: "error.mail" } : { word: "error.email", field: "email" }
}

/** Answers clients that ask for JSON: redirects as `{ url }`, errors as `{ error, reference }` with a status. */
export function forClients(route: Route): Route {
  return async (request, context) => {
    if (!prefersJson(request)) return route(request, context)
    try {
      return withRedirectAsJson(await route(request, context))
    } catch (thrown) {
      const { error, cookies } = toFailure(thrown)
      const status = toStatus(error)
      if (status === null) throw thrown
      context.log.errorOnce(error, request)
      const wait = error instanceof TooManyRequests ? { "retry-after": String(error.retryAfterSeconds) } : {}
      const challenge = error instanceof FreshnessRequired ? toChallenge(request, context) : undefined
      const headers = { ...noStore, ...wait, ...challenge?.headers }
      return json({ ...describe(error), ...challenge?.body }, { status, cookies, headers })
    }
  }
}

/** The answer for a client. It holds nothing of what was typed. */
function describe(error: AuthError): object {
  const { type, reference } = error
  const { field } = findPageError(error) ?? {}
  return {
    error: type,
    ...(error instanceof PasswordRefused && { code: error.code }),
    ...(field !== undefined && { field: field === "first-password" ? "password" : field }),
    reference,
  }
}

/** Null for an error that is none of the request's. */
function toStatus(error: AuthError): number | null {
  if (error instanceof InvalidRequest) return error.status
  if (error instanceof MissingCSRF || error instanceof FreshnessRequired) return 403
  if (error instanceof TooManyRequests) return 429
  return findPageError(error) ? 400 : null
}

/** A field of a form; empty if it is missing. @throws InvalidRequest unless it is text */
export function getText({ body }: Pick<AuthRequest, "body">, name: string): string {
  const value = body?.[name] ?? ""
  if (typeof value === "string") return value
  throw new InvalidRequest(`${name} must be text`)
}
