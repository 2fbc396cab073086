import type { ResponseCookie } from "../contract/response.js"
import { InvalidProvider } from "../errors/request.js"
import { completeSignIn } from "../signin/complete-sign-in.js"
import { isProven, type Proven } from "../signin/method.js"
import { Refusal } from "../web/refusal.js"
import type { Reply } from "../web/reply.js"
import type { Visit } from "../web/visit.js"
import { getProvider } from "./get-provider.js"
import type { ActionNeeds } from "./needs.js"

/** `GET` or `POST /callback/<id>`: what the visitor brings is proved, and becomes a session. */
export async function completeCallback(visit: Visit, needs: ActionNeeds): Promise<Reply> {
  const provider = getProvider(visit.providerId, needs)
  const method = await needs.methodOf(provider)
  if (method.callbackMethod(provider) !== visit.method) {
    throw new InvalidProvider(`The callback of a provider of type ${provider.type} does not come by ${visit.method}`)
  }
  if (method.isCallbackOurForm) await needs.csrf.assertVerified(visit)
  const outcome = await method.prove(visit, provider)
  return isProven(outcome) ? complete(outcome, visit, needs) : outcome
}

/** What the flow left in the browser is cleared, whatever comes of the sign-in. */
async function complete(proven: Proven, visit: Visit, needs: ActionNeeds): Promise<Reply> {
  try {
    const reply = await completeSignIn(proven, visit, { ...needs, newUserPage: needs.pages.newUser })
    return withCookies(reply, proven.cookies)
  } catch (error) {
    throw new Refusal(error, proven.cookies)
  }
}

function withCookies(reply: Reply, cookies: readonly ResponseCookie[]): Reply {
  return { ...reply, cookies: [...cookies, ...(reply.cookies ?? [])] }
}
