import { AccessTokenUnavailable } from "@latchkey/core/tokens"
import { getAccessToken } from "@latchkey/express"
import type { RequestHandler } from "express"
import { authConfig } from "./auth.ts"
import { renderProfilePage } from "./pages.ts"

/** A page that calls an API of Demo ID for the signed-in user. */
export const showProfile: RequestHandler = async (request, response) => {
  try {
    const { accessToken } = await getAccessToken(request, authConfig, { provider: "demo" })
    response.send(renderProfilePage(await fetchProfile(accessToken)))
  } catch (error) {
    // Such as a user who signed in with a password.
    if (!(error instanceof AccessTokenUnavailable)) throw error
    response.send(renderProfilePage(null))
  }
}

const issuer = process.env["AUTH_DEMO_ISSUER"]

/** The provider's userinfo endpoint stands for any API that takes its access tokens. */
async function fetchProfile(accessToken: string): Promise<Readonly<Record<string, unknown>>> {
  const discovered = await fetch(`${issuer}/.well-known/openid-configuration`)
  const { userinfo_endpoint } = (await discovered.json()) as { userinfo_endpoint: string }
  const answer = await fetch(userinfo_endpoint, { headers: { authorization: `Bearer ${accessToken}` } })
  if (!answer.ok) throw new Error(`Demo ID answered ${answer.status}`)
  return (await answer.json()) as Readonly<Record<string, unknown>>
}
