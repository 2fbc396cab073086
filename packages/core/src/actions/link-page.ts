import type { ActionContext } from "../features/feature.js"
import { toFrame, toPage } from "../features/page.js"
import { isPage, varyByFormat } from "../http/accept.js"
import type { AuthRequest } from "../http/request.js"
import { json, noStore, type Reply } from "../http/response.js"
import { codeMaxAgeSeconds } from "../mail/secret.js"
import type { LinkPage } from "../methods/steps.js"

/** Answers a mailed link that was opened in a browser that did not ask for it, and consumes nothing. */
export async function showLinkPage(
  { linkPage }: LinkPage,
  request: AuthRequest,
  context: ActionContext,
): Promise<Reply> {
  const { address, hasCode, code } = linkPage
  const csrf = await context.csrf.issue(request.cookies)
  if (!isPage(request)) {
    const facts = { opening: code === undefined ? "confirm" : "code", address, code }
    return json(
      { ...facts, csrfToken: code === undefined ? csrf.token : undefined },
      { headers: { ...noStore, ...varyByFormat }, cookies: csrf.cookies },
    )
  }
  const { renderCodePage, renderConfirmPage } = await import("../pages/email-pages.js")
  const frame = await toFrame(request, context)
  if (code !== undefined) return unreferred(await toPage(renderCodePage({ code, codeMaxAgeSeconds }, frame), context))
  const page = renderConfirmPage({ address, csrfToken: csrf.token, hasCode }, frame)
  return unreferred(await toPage(page, context, { cookies: csrf.cookies }))
}

/**
 * The page's URL holds a token that still works, and scripts of the host's own pages can read the referrer. Unlike with
 * `no-referrer`, browsers still send the origin with the form.
 */
function unreferred(reply: Reply): Reply {
  return { ...reply, headers: { ...reply.headers, ...varyByFormat, "referrer-policy": "strict-origin" } }
}
