import { AuthError, toError } from "../errors/auth-error.js"
import { CallbackRouteError, InvalidProvider } from "../errors/errors.js"
import type { AuthRequest } from "../http/request.js"
import { Refusal, type Reply } from "../http/response.js"
import { completeSignIn } from "../methods/complete.js"
import { getMethod } from "../methods/find-method.js"
import { isProven } from "../methods/method.js"
import { type ActionContext, getProvider } from "./context.js"

/** `GET` or `POST /callback/<id>`: verifies who signs in, and completes the sign-in. */
export async function completeCallback(request: AuthRequest, context: ActionContext): Promise<Reply> {
  const provider = getProvider(request.providerId, context)
  const method = getMethod(provider)
  if (method.callbackMethod(provider) !== request.method) {
    const message = `The callback of a provider of type ${provider.type} does not accept ${request.method}`
    throw new InvalidProvider(message, { provider: provider.id })
  }
  if (method.isCallbackOurForm) await context.csrf.assertVerified(request)
  await context.limits.consume("callback", request)
  const steps = await context.loadSteps(provider)
  const outcome = await steps.prove(request, provider)
  if (!isProven(outcome)) return outcome
  try {
    const reply = await completeSignIn(outcome, steps, request, { ...context, newUserPage: context.pages.newUser })
    return { ...reply, cookies: [...outcome.cookies, ...(reply.cookies ?? [])] }
  } catch (thrown) {
    const { error, userId } = thrown instanceof Refusal ? thrown : { error: thrown, userId: undefined }
    // Errors of the host's code, such as its `jwt` callback, are logged with the provider's id.
    const failure =
      error instanceof AuthError ? error : new CallbackRouteError({ err: toError(error), provider: provider.id })
    throw new Refusal(failure, outcome.cookies, userId)
  }
}
