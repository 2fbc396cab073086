import { AuthError, toError } from "../errors/auth-error.js"
import { CallbackRouteError, InvalidProvider } from "../errors/errors.js"
import type { AuthRequest } from "../http/request.js"
import { Refusal, type Reply } from "../http/response.js"
import { completeSignIn, type SignInNeeds } from "../methods/complete.js"
import { isProven } from "../methods/method.js"
import type { ResponseCookie } from "../types/http.js"
import { type ActionNeeds, getProvider } from "./context.js"

type CallbackNeeds = Omit<SignInNeeds, "newUserPage"> &
  Pick<ActionNeeds, "providers" | "methodOf" | "csrf" | "limits" | "pages">

/** `GET` or `POST /callback/<id>`: what the visitor brings is proved, and becomes a session. */
export async function completeCallback(request: AuthRequest, needs: CallbackNeeds): Promise<Reply> {
  const provider = getProvider(request.providerId, needs)
  const method = await needs.methodOf(provider)
  if (method.callbackMethod(provider) !== request.method) {
    const fault = `The callback of a provider of type ${provider.type} does not come by ${request.method}`
    throw new InvalidProvider(fault, { provider: provider.id })
  }
  if (method.isCallbackOurForm) await needs.csrf.assertVerified(request)
  await needs.limits.consume("callback", request)
  const outcome = await method.prove(request, provider)
  if (!isProven(outcome)) return outcome
  try {
    const reply = await completeSignIn(outcome, request, { ...needs, newUserPage: needs.pages.newUser })
    return withCookies(reply, outcome.cookies)
  } catch (thrown) {
    const { error, userId } = thrown instanceof Refusal ? thrown : { error: thrown, userId: undefined }
    // What the flow left in the browser is cleared, whatever comes of the sign-in.
    throw new Refusal(toFailedCallback(error, provider.id), outcome.cookies, userId)
  }
}

/** What is not ours, such as a failure in the host's `jwt` callback, says in the log with which provider it came. */
function toFailedCallback(error: unknown, provider: string): AuthError {
  return error instanceof AuthError ? error : new CallbackRouteError({ err: toError(error), provider })
}

function withCookies(reply: Reply, cookies: readonly ResponseCookie[]): Reply {
  return { ...reply, cookies: [...cookies, ...(reply.cookies ?? [])] }
}
