import type { JWKS } from "oauth4webapi"
import type { Awaitable } from "../contract/awaitable.js"
import { signatures, type Verdict } from "../crypto/signature.js"
import type { ProviderContext } from "./provider-context.js"
import { ProviderError } from "./provider-error.js"
import { findKeyId, type UnverifiedToken } from "./signed-token.js"

/** The provider's keys, those of an unknown key id fetched anew. */
export async function findKeys(
  token: UnverifiedToken,
  { provider, server, endpoints }: ProviderContext,
): Promise<JWKS> {
  const jwksUri = server.metadata.jwks_uri
  if (jwksUri === undefined) throw refusal("no-endpoints", "The provider has no jwks_endpoint to verify with")
  return endpoints.findKeys(provider, { jwksUri, keyId: findKeyId(token) })
}

/**
 * Verifies a token with the provider's own keys, RFC 7515 section 5.2. That its algorithm is one to be accepted was
 * decided before.
 * @throws ProviderError
 */
export async function verifySignature(token: UnverifiedToken, context: ProviderContext): Promise<void> {
  const { keys } = await findKeys(token, context)
  const { signedText: text, signature, header } = token
  const signed = { text, signature, alg: String(header["alg"]), kid: findKeyId(token) }
  const verdict = await judge(() => signatures.verify(signed, keys))
  if (verdict !== "right") throw refusal("signature", mistakes[verdict])
}

async function judge(verify: () => Awaitable<Verdict>): Promise<Verdict | "broken key"> {
  try {
    return await verify()
  } catch {
    // What the platform says of a key may quote it.
    return "broken key"
  }
}

const mistakes: Readonly<Record<Exclude<Verdict, "right"> | "broken key", string>> = {
  wrong: "The signature of the token is wrong",
  "no key": "The provider has no key that fits the token's signature",
  "several keys": "Several keys of the provider fit the token's signature, which names none",
  "broken key": "The provider's key for the token's signature cannot be used",
}

function refusal(code: string, message: string): ProviderError {
  return new ProviderError(message, { code })
}
