import type { Reply } from "../../http/response.js"
import type { ResponseCookie } from "../../types/http.js"
import { toFrame, toPage } from "../page.js"
import { setUpTotp, type Ticket, type TotpSetup } from "./enrollment.js"
import type { Visit } from "./gate.js"
import { type NamedUser, toEnrollee } from "./own-factors.js"
import { type EnrollContent, type Exit, renderEnrollPage, renderRecoveryCodesPage } from "./page.js"

/**
 * Creates a secret for the user.
 * @param ticket That of a form with a wrong code: the user has scanned its secret, which stays.
 */
export function beginEnrollment(user: NamedUser, visit: Visit, ticket?: Ticket): Promise<TotpSetup> {
  const { request, context, tools } = visit
  return setUpTotp(toEnrollee(user, request, context), tools, context.secrets, ticket)
}

/** The page on which an authenticator app is set up: during a sign-in, before a change, and in the account area. */
export async function showEnrollment(
  content: Omit<EnrollContent, "csrfToken">,
  { request, context }: Omit<Visit, "tools">,
): Promise<Reply> {
  const { token: csrfToken, cookies } = await context.csrf.issue(request.cookies)
  return toPage(renderEnrollPage({ ...content, csrfToken }, await toFrame(request, context)), context, { cookies })
}

/** The page that follows it, for a user who had no recovery codes. */
export async function showRecoveryCodes(
  codes: readonly string[],
  next: Exit,
  { request, context }: Omit<Visit, "tools">,
  cookies: readonly ResponseCookie[] = [],
): Promise<Reply> {
  return toPage(renderRecoveryCodesPage(codes, next, await toFrame(request, context)), context, { cookies })
}

/** Leads to the site. */
export const toSite = (url: string): Exit => ({ url, text: (translate) => translate("saved.button") })
