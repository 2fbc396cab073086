import { AccessTokenUnavailable } from "@latchkey/core/access-tokens"
import { auth, type UserAuth } from "@latchkey/express"
import type { RequestHandler } from "express"
import { authConfig } from "./auth.ts"
import { callDemoId } from "./demo-id.ts"
import { renderProfilePage } from "./pages.ts"

/** A page that calls an API of Demo ID for the signed-in user. */
export const showProfile: RequestHandler = async (request, response) => {
  try {
    response.send(renderProfilePage(await fetchProfile(auth(request, response, authConfig))))
  } catch (error) {
    // Such as a user who signed in with a password.
    if (!(error instanceof AccessTokenUnavailable)) throw error
    response.send(renderProfilePage(null))
  }
}

const issuer = process.env["AUTH_DEMO_ISSUER"]

/** The provider's userinfo endpoint stands for any API that takes its access tokens. */
async function fetchProfile(user: Pick<UserAuth, "getAccessToken">): Promise<Readonly<Record<string, unknown>>> {
  const discovered = await fetch(`${issuer}/.well-known/openid-configuration`)
  const { userinfo_endpoint } = (await discovered.json()) as { userinfo_endpoint: string }
  const answer = await callDemoId(user, userinfo_endpoint)
  if (!answer.ok) throw new Error(`Demo ID answered ${answer.status}`)
  return (await answer.json()) as Readonly<Record<string, unknown>>
}
