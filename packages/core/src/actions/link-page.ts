import type { ActionContext } from "../features/feature.js"
import { toFrame, toPage, unreferred } from "../features/page.js"
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
  if (code !== undefined) return toVaried(await toPage(renderCodePage({ code, codeMaxAgeSeconds }, frame), context))
  const page = renderConfirmPage({ address, csrfToken: csrf.token, hasCode }, frame)
  return toVaried(await toPage(page, context, { cookies: csrf.cookies }))
}

function toVaried(reply: Reply): Reply {
  return unreferred({ ...reply, headers: { ...reply.headers, ...varyByFormat } })
}
