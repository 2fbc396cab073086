import type { ActionContext } from "../actions/context.js"
import { toFrame, toPage } from "../actions/page.js"
import { SecondFactorWrong } from "../errors/errors.js"
import { type AuthRequest, findField } from "../http/request.js"
import { type Reply, redirect, withQuery } from "../http/response.js"
import { openTicket, setUpTotp, type TotpSetup } from "./enrollment.js"
import { findCurrentUser, ownFactors, toEnrollee } from "./own-factors.js"
import { renderEnrollPage, renderRecoveryCodesPage } from "./page.js"
import { openTools } from "./tools.js"

/** The forms of the account area as pages, for browsers without scripts. Null for an action that is none of them. */
export async function answerFactorForm(
  request: AuthRequest,
  context: ActionContext,
  pageUrl: string,
): Promise<Reply | null> {
  const form: FactorForm = { request, context, pageUrl }
  const action = findField(request, "action")
  if (action === "begin-totp") {
    const setup = await ownFactors(context).beginTotp(request)
    return setup && showSetup(setup, false, form)
  }
  if (action === "confirm-totp") return confirm(form)
  if (action !== "create-recovery-codes") return null
  const codes = await ownFactors(context).createRecoveryCodes(request)
  return codes && showCodes(codes, "codes", form)
}

interface FactorForm {
  readonly request: AuthRequest
  readonly context: ActionContext
  readonly pageUrl: string
}

async function showSetup(
  setup: TotpSetup,
  isWrong: boolean,
  { request, context, pageUrl }: FactorForm,
): Promise<Reply> {
  const { token: csrfToken, cookies } = await context.csrf.issue(request.cookies)
  const signInUrl = context.actionUrl(request, "signin")
  const fields = { action: "confirm-totp" }
  const content = { csrfToken, action: pageUrl, fields, isWrong, signInUrl, setup, backUrl: pageUrl }
  return toPage(renderEnrollPage(content, await toFrame(request, context)), context, { cookies })
}

async function showCodes(
  codes: readonly string[],
  done: string,
  { request, context, pageUrl }: FactorForm,
): Promise<Reply> {
  const page = renderRecoveryCodesPage(codes, withQuery(pageUrl, { done }), await toFrame(request, context))
  return toPage(page, context)
}

async function confirm(form: FactorForm): Promise<Reply | null> {
  const { request, context, pageUrl } = form
  const own = ownFactors(context)
  const confirmation = { ticket: findField(request, "ticket") ?? "", code: findField(request, "code") ?? "" }
  try {
    const confirmed = await own.confirmTotp(request, confirmation)
    if (!confirmed) return null
    const { recoveryCodes } = confirmed
    const next = recoveryCodes
      ? await showCodes(recoveryCodes, "added", form)
      : redirect(withQuery(pageUrl, { done: "added" }))
    return { ...next, cookies: [...(next.cookies ?? []), ...(await own.noteSetup(request))] }
  } catch (error) {
    if (!(error instanceof SecondFactorWrong)) throw error
    const found = await findCurrentUser(request, context)
    if (!found) return null
    context.log.errorOnce(error, { ...request, userId: found.userId })
    const ticket = await openTicket(confirmation.ticket, found.userId, context.secrets)
    const setup = await setUpTotp(toEnrollee(found, request, context), openTools(context), context.secrets, ticket)
    return showSetup(setup, true, form)
  }
}
