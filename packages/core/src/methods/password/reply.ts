import type { AuthError } from "../../errors/auth-error.js"
import { CodeSpent, CodeWrong, EmailSignInError, InvalidRequest, Verification } from "../../errors/errors.js"
import { because } from "../../errors/failure-reason.js"
import { RefusedInput } from "../../errors/refused-input.js"
import { toFailure } from "../../features/failure.js"
import type { ActionContext } from "../../features/feature.js"
import { findFormResult, readTyped, toOwnPage, toResultPage, withTyped } from "../../features/form-result.js"
import { findTypedAddress } from "../../features/form-values.js"
import { toFrame, toPage, unreferred } from "../../features/page.js"
import { isPage } from "../../http/accept.js"
import { type AuthRequest, findField } from "../../http/request.js"
import { Refusal, type Reply } from "../../http/response.js"
import { findResending, type MailFlow } from "../../mail/flow.js"
import type { PageFrame } from "../../pages/document.js"
import { explainFault, type FormPage, type PageError, renderPasswordPage } from "./page.js"
import { termsName } from "./sign-up-fields.js"
import { PasswordRefused } from "./text.js"
import { openTools, type Visit } from "./tools.js"

/** The current password was not given, or is wrong. */
export class CurrentPasswordWrong extends RefusedInput {
  static override readonly type: string = "CurrentPasswordWrong"

  constructor() {
    super("current: is not the current password", { field: "current" }, because("credentials-wrong"))
  }
}

/** A page, before it is rendered. Its form gets the CSRF token. */
export type PageDraft = Omit<FormPage, "least" | "error" | "code" | "resend"> & {
  readonly resend?: Resend | undefined
}

/** How the email of a page is sent again. */
interface Resend extends Omit<NonNullable<FormPage["resend"]>, "resending" | "waitUrl"> {
  readonly flow: MailFlow
}

/** Shows a page. With an error, its status is 400: browsers then do not offer to save the password. */
export async function showPage(draft: PageDraft, error: PageError | undefined, visit: Visit): Promise<Reply> {
  const { request, context, tools } = visit
  const { resend, ...others } = draft
  const csrf = draft.form ? await context.csrf.issue(request.cookies) : { token: undefined, cookies: [] }
  const form = draft.form && { ...draft.form, hidden: { csrfToken: csrf.token, ...draft.form.hidden } }
  // WCAG 2.2 SC 3.3.7: a code that nothing is wrong with is not typed again. The mail may be on another device.
  const code = error && error.field !== "code" ? findField(request, "code") : undefined
  const hidden = { csrfToken: csrf.token, ...resend?.hidden }
  const page = {
    ...others,
    ...(form && { form }),
    ...(resend && {
      resend: {
        ...resend,
        hidden,
        resending: findResending(resend.flow),
        waitUrl: context.actionUrl(request, "wait.js"),
      },
    }),
    error,
    code,
    least: tools.minLength,
  }
  const reply = await toPage(renderPasswordPage(page, await toFrame(request, context)), context, {
    cookies: csrf.cookies,
    ...(error && { status: 400 }),
    runsScript: resend !== undefined,
  })
  return unreferred(reply)
}

/** A page that a form led to has what was typed there, and says what is wrong with it. */
export async function openPage(
  request: AuthRequest,
  context: ActionContext,
  owner?: string,
): Promise<{ readonly visit: Visit; readonly error: PageError | undefined }> {
  const result = isPage(request) ? await findFormResult(request, context, owner) : null
  const visit = { request: withTyped(request, result), context, tools: openTools(context) }
  // as: `toFormAgain` wrote it.
  return { visit, error: result?.fault as PageError | undefined }
}

interface FormAgain {
  /** Of its page. Default: the address that the form was sent to. */
  readonly url?: string
  /** The user and the session, if the page is for them alone. */
  readonly owner?: string
}

/** Leads back to the page of a form that was refused. Passwords are typed again. */
export function toFormAgain(
  error: PageError,
  { url, owner }: FormAgain,
  { request, context, tools }: Visit,
): Promise<Reply> {
  const { fields } = tools.settings.questions
  const names = ["email", "name", "callbackUrl", termsName, ...Object.keys(fields)]
  // A code is of use only where it was not the fault.
  const hasCode = error.field !== "code" && !isOver(error)
  const typed = readTyped(request, hasCode ? ["code", ...names] : names)
  return toResultPage({ fault: error, typed }, { url: url ?? toOwnPage(request, context), owner }, request, context)
}

/** Whether the email of a form is of no use any more: it begins again. */
export const isOver = ({ word }: PageError): boolean => word === "error.link" || word === "error.used"

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
    if (!error || !isPage(request)) throw thrown
    context.log.errorOnce(toFailure(thrown).error, request)
    return show(error)
  }
}

/** What a page says about an error. Undefined for one that has a page of its own. */
function findPageError(thrown: unknown): PageError | undefined {
  const error = thrown instanceof Refusal ? thrown.error : thrown
  if (error instanceof PasswordRefused) return { word: `error.${error.code}`, field: "password" }
  if (error instanceof RefusedInput && error.code === "field")
    return { word: "error.field", field: error.field, text: error.reason }
  if (error instanceof RefusedInput && error.code === "terms") return { word: "error.terms", field: "terms" }
  if (error instanceof CurrentPasswordWrong) return { word: "error.current", field: "current" }
  if (error instanceof CodeWrong) return { word: "error.code", field: "code" }
  if (error instanceof Verification && error.cause?.["isUsedElsewhere"] === true) return { word: "error.used" }
  if (error instanceof CodeSpent || error instanceof Verification) return { word: "error.link" }
  if (!(error instanceof EmailSignInError)) return undefined
  return error.cause?.["concerns"] === "provider" ? { word: "error.mail" } : { word: "error.email", field: "email" }
}

/** What a page of passwords says about an error. Undefined for an error of another page. */
export function explainError(
  error: AuthError,
  { route }: Pick<AuthRequest, "route">,
  frame: PageFrame,
  context: ActionContext,
): string | undefined {
  const isOwn = error instanceof RefusedInput || route.startsWith("password/")
  const found = isOwn ? findPageError(error) : undefined
  return found && explainFault(found, frame, openTools(context).minLength)
}

/** The address for a form that begins: as it was typed there or on the sign-in page, or that of the mail to send again. */
export async function findAddress(
  flow: Pick<MailFlow, "identifier"> | undefined,
  request: AuthRequest,
  context: ActionContext,
): Promise<string | undefined> {
  const again = request.url.searchParams.has("again") ? flow?.identifier : undefined
  const typed = findField(request, "email") ?? again
  return typed ?? (await findTypedAddress(request, context)) ?? flow?.identifier
}

/** A field of a form; empty if it is missing. @throws InvalidRequest unless it is text */
export function getText({ body }: Pick<AuthRequest, "body">, name: string): string {
  const value = body?.[name] ?? ""
  if (typeof value === "string") return value
  throw new InvalidRequest(`${name} must be text`)
}
