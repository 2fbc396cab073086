import { CompactSign } from "jose"
import type { Members } from "../identity-provider/faults/fault.js"
import type { VendorFlow } from "./vendor-flow.js"
import type { IssuedTokens } from "./vendor-rules.js"

const lifetimeSeconds = 3600

/** Makes the tokens of a flow, and keeps the access token for the requests that come with it. */
export async function issueTokens(flow: VendorFlow): Promise<IssuedTokens> {
  const { openId, profile } = flow.rules
  const access_token = `access-${crypto.randomUUID()}`
  flow.keep({ access_token })
  const standard = {
    access_token,
    token_type: "Bearer",
    expires_in: lifetimeSeconds,
    ...(flow.values["scope"] && { scope: flow.values["scope"] }),
    ...(openId && { id_token: await signIdToken(flow) }),
  }
  const sign = async (claims: Members): Promise<string> => {
    const token = await signClaims(claims, flow)
    flow.keep({ access_token: token })
    return token
  }
  return { standard, profile, clientId: flow.client.client_id, sign }
}

async function signIdToken(flow: VendorFlow): Promise<string> {
  const { openId, profile } = flow.rules
  const { nonce } = flow.values
  const sent = nonce && !openId?.forgetsNonce ? { nonce } : {}
  const issuer = openId?.tokenIssuer ?? openId?.issuer
  return signClaims({ ...(openId?.claims ?? profile), iss: issuer, aud: flow.client.client_id, ...sent }, flow)
}

export async function signClaims(claims: Members, { keys, client }: VendorFlow): Promise<string> {
  const iat = Math.floor(Date.now() / 1000)
  const payload = new TextEncoder().encode(JSON.stringify({ iat, exp: iat + lifetimeSeconds, ...claims }))
  if (keys.alg === "HS256") {
    const secret = new TextEncoder().encode(client.client_secret)
    return new CompactSign(payload).setProtectedHeader({ alg: "HS256" }).sign(secret)
  }
  const { alg, kid, privateKey } = await keys.current()
  return new CompactSign(payload).setProtectedHeader({ alg, kid }).sign(privateKey)
}
