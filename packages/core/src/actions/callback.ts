import { InvalidProvider } from "../errors/errors.js"
import { type ActionContext, getProvider } from "../features/feature.js"
import { finishSignIn } from "../features/sign-in.js"
import type { AuthRequest } from "../http/request.js"
import type { Reply } from "../http/response.js"
import { getMethod } from "../methods/find-method.js"
import { isPromiseLike } from "../runtime/promise.js"

/**
 * `GET` or `POST /callback/<id>`: verifies who signs in, and completes the sign-in. Awaits nothing that is there already: each
 * `await` creates promises.
 */
export async function completeCallback(request: AuthRequest, context: ActionContext): Promise<Reply> {
  const finding = getProvider(request.providerId, context)
  const provider = isPromiseLike(finding) ? await finding : finding
  const method = getMethod(provider)
  if (!method.callbackMethods(provider).includes(request.method)) {
    throw new InvalidProvider(`The callback does not accept ${request.method}`, { provider: provider.id })
  }
  if (method.isCallbackOurForm && request.method === "POST") {
    const verifying = context.csrf.assertVerified(request)
    if (isPromiseLike(verifying)) await verifying
    // Other callbacks end what `signin` began. A mailed link is valid although its mail could not be sent again.
    const defect = method.serverStart !== "signin" && method.findDefect?.(provider, `providers.${provider.id}`)
    if (defect) throw defect
  }
  const counting = context.limits.consume("callback", request)
  if (isPromiseLike(counting)) await counting
  const loading = context.loadSteps(provider)
  const steps = isPromiseLike(loading) ? await loading : loading
  const outcome = await steps.prove(request, provider)
  if ("linkPage" in outcome) {
    const { showLinkPage } = await import("./link-page.js")
    return showLinkPage(outcome, request, context)
  }
  return "proof" in outcome ? finishSignIn(outcome, steps, request, context) : outcome
}
