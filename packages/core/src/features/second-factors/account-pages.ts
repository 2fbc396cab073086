import { SecondFactorWrong } from "../../errors/errors.js"
import { type AuthRequest, findField } from "../../http/request.js"
import { type Reply, redirect, withQuery } from "../../http/response.js"
import type { ActionContext, FactorPage } from "../feature.js"
import { openVisit } from "../visit.js"
import { openTicket, type TotpSetup } from "./enrollment.js"
import { beginEnrollment, showEnrollment, showRecoveryCodes } from "./enrollment-pages.js"
import { ownFactors } from "./own-factors.js"
import { openTools } from "./tools.js"

/** The forms of the account area as pages, for browsers without scripts. Null for an action that is none of them. */
export async function answerFactorForm(
  request: AuthRequest,
  context: ActionContext,
  page: FactorPage,
): Promise<Reply | null> {
  const form: FactorForm = { request, context, page }
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
  readonly page: FactorPage
}

function showSetup(setup: TotpSetup, isWrong: boolean, { page, ...visit }: FactorForm): Promise<Reply> {
  const { url: action, back } = page
  const exit = { url: back.url, text: () => back.text }
  return showEnrollment({ action, fields: { action: "confirm-totp" }, isWrong, setup, exit }, visit)
}

function showCodes(codes: readonly string[], done: string, { page, ...visit }: FactorForm): Promise<Reply> {
  return showRecoveryCodes(
    codes,
    { url: withQuery(page.url, { done }), text: (translate) => translate("code.button") },
    visit,
  )
}

async function confirm(form: FactorForm): Promise<Reply | null> {
  const { request, context, page } = form
  const own = ownFactors(context)
  const confirmation = { ticket: findField(request, "ticket") ?? "", code: findField(request, "code") ?? "" }
  try {
    const confirmed = await own.confirmTotp(request, confirmation)
    if (!confirmed) return null
    const { recoveryCodes } = confirmed
    const next = recoveryCodes
      ? await showCodes(recoveryCodes, "added", form)
      : redirect(withQuery(page.url, { done: "added" }))
    return { ...next, cookies: [...(next.cookies ?? []), ...(await own.noteSetup(request))] }
  } catch (error) {
    if (!(error instanceof SecondFactorWrong)) throw error
    const found = await openVisit(request, context)
    if (!found) return null
    context.log.errorOnce(error, { ...request, userId: found.userId })
    const ticket = await openTicket(confirmation.ticket, found.userId, context.secrets)
    const setup = await beginEnrollment(found, { request, context, tools: openTools(context) }, ticket)
    return showSetup(setup, true, form)
  }
}
