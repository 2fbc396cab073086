import { base64url, CompactSign } from "jose"
import type { RegisteredClient } from "./client.js"
import type { Establishment } from "./establishment.js"
import type { Signing } from "./faults/fault.js"

/** With the provider's own key. */
export async function signingByKey({ keys }: Pick<Establishment, "keys">): Promise<Signing> {
  const { alg, kid, privateKey } = await keys.current()
  return { header: { alg, kid, typ: "JWT" }, key: privateKey }
}

/** With the secret that the app and the provider share. */
export function signingBySecret({ client_secret }: RegisteredClient): Signing {
  return { header: { alg: "HS256", typ: "JWT" }, key: new TextEncoder().encode(client_secret) }
}

export async function sign(payload: string, { header, key }: Signing): Promise<string> {
  if (key === null) return `${base64url.encode(JSON.stringify(header))}.${base64url.encode(payload)}.`
  return new CompactSign(new TextEncoder().encode(payload)).setProtectedHeader(header).sign(key)
}
