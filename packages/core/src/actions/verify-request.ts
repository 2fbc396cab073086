import { type Reply, redirect } from "../web/reply.js"
import type { Visit } from "../web/visit.js"
import { withQuery } from "../web/with-query.js"
import type { ActionNeeds } from "./needs.js"
import { type PageNeeds, toFrame, toPage } from "./page.js"

type VerifyRequestNeeds = PageNeeds & Pick<ActionNeeds, "pages" | "providers">

/** `GET /verify-request`: asks to look into the mailbox. */
export async function showVerifyRequestPage(visit: Visit, needs: VerifyRequestNeeds): Promise<Reply> {
  const { searchParams } = visit.url
  // Whatever else a link to this page carries is not passed on to the host's page.
  const query = { provider: searchParams.get("provider") ?? undefined, type: searchParams.get("type") ?? undefined }
  if (needs.pages.verifyRequest) return redirect(withQuery(needs.pages.verifyRequest, query))
  const { renderVerifyRequestPage } = await import("../pages/verify-request-page.js")
  const provider = needs.providers.get(query.provider ?? "")
  const maxAgeSeconds = provider?.type === "email" ? provider.maxAge : undefined
  const content = { signInUrl: needs.actionUrl(visit, "signin"), ...(maxAgeSeconds !== undefined && { maxAgeSeconds }) }
  return toPage(renderVerifyRequestPage(content, await toFrame(visit, needs)), needs)
}
