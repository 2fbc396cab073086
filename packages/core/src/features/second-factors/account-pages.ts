import { type AuthRequest, findField } from "../../http/request.js"
import { type Reply, redirect, withQuery } from "../../http/response.js"
import type { ActionContext, FactorPage } from "../feature.js"
import { openVisit } from "../visit.js"
import { showSetup, toCodesPage, toSetupAgain } from "./enrollment-pages.js"
import type { Visit } from "./gate.js"
import { ownFactors } from "./own-factors.js"
import { toVisitPlace } from "./shown-again.js"
import { openTools } from "./tools.js"

/** The forms of the account area as pages, for browsers without scripts. Null for an action that is none of them. */
export async function answerFactorForm(
  request: AuthRequest,
  context: ActionContext,
  page: FactorPage,
): Promise<Reply | null> {
  const action = findField(request, "action")
  if (action === "begin-totp") return redirect(page.setupUrl)
  const visit: Visit = { request, context, tools: openTools(context) }
  if (action === "confirm-totp") return confirm(page, visit)
  if (action !== "create-recovery-codes") return null
  const own = ownFactors(context)
  const found = await openVisit(request, context)
  const created = await own.createRecoveryCodes(request)
  if (!found || !created) return null
  return toCodesPage(created, { userId: found.userId, url: withQuery(page.url, { done: "codes" }) }, visit)
}

/** The page of the account area with the key of an authenticator app. Null when signed out. */
export async function showFactorSetup(
  request: AuthRequest,
  context: ActionContext,
  { url: action, back }: FactorPage,
): Promise<Reply | null> {
  const found = await openVisit(request, context)
  if (!found) return null
  const exit = { url: back.url, text: () => back.text }
  const content = { action, fields: { action: "confirm-totp" }, user: found, place: toVisitPlace(found), exit }
  return showSetup(content, { request, context, tools: openTools(context) })
}

async function confirm(page: FactorPage, visit: Visit): Promise<Reply | null> {
  const { request, context, tools } = visit
  const own = ownFactors(context)
  const found = await openVisit(request, context)
  if (!found) return null
  const confirmation = { ticket: findField(request, "ticket") ?? "", code: findField(request, "code") ?? "" }
  const url = withQuery(page.url, { done: "added" })
  try {
    const confirmed = await own.confirmTotp(request, confirmation)
    if (!confirmed) return null
    const cookies = await own.noteSetup(request)
    if (confirmed.created) return toCodesPage(confirmed.created, { userId: found.userId, url, cookies }, visit)
    return redirect(url, { cookies: [...cookies, ...tools.shown.forgetKey(request.cookies)] })
  } catch (error) {
    return toSetupAgain(error, { url: page.setupUrl, place: toVisitPlace(found), doneUrl: url }, visit)
  }
}
