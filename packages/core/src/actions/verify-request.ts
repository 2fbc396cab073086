import type { ActionContext } from "../features/feature.js"
import { toFrame, toPage } from "../features/page.js"
import { findPreferred, isPage, varyByFormat } from "../http/accept.js"
import type { AuthRequest } from "../http/request.js"
import { json, noStore, type Reply, redirect, withQuery } from "../http/response.js"
import { createMailFlows, findResending } from "../mail/flow.js"
import { findLiveFlow } from "../mail/mailed-secret.js"

/** `GET /verify-request`: asks the visitor to check their email, and takes the code of the mail. */
export async function showVerifyRequestPage(request: AuthRequest, context: ActionContext): Promise<Reply> {
  const { searchParams } = request.url
  const read = (name: string) => searchParams.get(name) ?? undefined
  const error = read("error")
  // No other query parameters are passed to the host's page.
  const query = { provider: read("provider"), type: read("type"), error }
  const isOwnPage = context.pages.verifyRequest !== undefined
  // A client with a form of its own asks for the facts, whichever page there is.
  const isAsked = isOwnPage ? findPreferred(request.headers.get("accept")) === "json" : !isPage(request)
  if (context.pages.verifyRequest && !isAsked) return redirect(withQuery(context.pages.verifyRequest, query))
  const provider = await context.findProvider(query.provider)
  const tools = { flows: createMailFlows(context.secrets, context.cookies) }
  const flow = provider && (await findLiveFlow({ flows: provider.id }, { request, tools }))
  if (isAsked) {
    const facts = {
      provider: provider?.id,
      type: provider?.type,
      error,
      address: flow?.identifier,
      hasCode: Boolean(flow),
      flow: flow?.id,
    }
    return json(facts, { headers: { ...noStore, ...varyByFormat } })
  }
  const { renderVerifyRequestPage } = await import("../pages/email-pages.js")
  const csrf = flow ? await context.csrf.issue(request.cookies) : { token: undefined, cookies: [] }
  const content = {
    waitUrl: context.actionUrl(request, "wait.js"),
    signInUrl: context.actionUrl(request, "signin"),
    maxAgeSeconds: provider?.type === "email" ? provider.maxAge : undefined,
    ...(flow && {
      codeForm: {
        action: context.actionUrl(request, `callback/${flow.provider}`),
        resendAction: context.actionUrl(request, `signin/${flow.provider}`),
        csrfToken: csrf.token,
        flow: flow.id,
        address: flow.identifier,
        callbackUrl: flow.target,
        isWrong: error === "CodeWrong",
        resending: findResending(flow),
      },
    }),
  }
  const page = renderVerifyRequestPage(content, await toFrame(request, context))
  const reply = await toPage(page, context, flow ? { cookies: csrf.cookies, runsScript: true } : {})
  return { ...reply, headers: { ...reply.headers, ...varyByFormat } }
}
