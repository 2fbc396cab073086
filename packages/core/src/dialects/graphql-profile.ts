import type { UserinfoRequestContext } from "../contract/oauth-provider.js"
import { type Answer, assertAnswer, requestProfile } from "./profile-request.js"

/**
 * Asks a vendor's GraphQL endpoint who signed in.
 * @returns The whole answer, `data` included.
 * @throws Error when the endpoint refuses, answers `errors` (an empty list is none), or no `data`.
 */
export async function requestGraphQL(context: UserinfoRequestContext, query: string): Promise<Answer> {
  const headers = { "content-type": "application/json" }
  const answer = await requestProfile(context, { method: "POST", headers, body: JSON.stringify({ query }) })
  const errors = answer["errors"] ?? []
  assertAnswer(Array.isArray(errors) && errors.length === 0 && Boolean(answer["data"]), context)
  return answer
}
