import { InvalidProvider } from "../errors/errors.js"
import { type ActionContext, getProvider } from "../features/feature.js"
import { finishSignIn } from "../features/sign-in.js"
import type { AuthRequest } from "../http/request.js"
import type { Reply } from "../http/response.js"
import { getMethod } from "../methods/find-method.js"

/** `GET` or `POST /callback/<id>`: verifies who signs in, and completes the sign-in. */
export async function completeCallback(request: AuthRequest, context: ActionContext): Promise<Reply> {
  const provider = await getProvider(request.providerId, context)
  const method = getMethod(provider)
  if (!method.callbackMethods(provider).includes(request.method)) {
    throw new InvalidProvider(`The callback does not accept ${request.method}`, { provider: provider.id })
  }
  if (method.isCallbackOurForm && request.method === "POST") {
    await context.csrf.assertVerified(request)
    // Other callbacks end what `signin` began. A mailed link is valid although its mail could not be sent again.
    const defect = method.serverStart !== "signin" && method.findDefect?.(provider, `providers.${provider.id}`)
    if (defect) throw defect
  }
  await context.limits.consume("callback", request)
  const steps = await context.loadSteps(provider)
  const outcome = await steps.prove(request, provider)
  if ("linkPage" in outcome) {
    const { showLinkPage } = await import("./link-page.js")
    return showLinkPage(outcome, request, context)
  }
  return "proof" in outcome ? finishSignIn(outcome, steps, request, context) : outcome
}
