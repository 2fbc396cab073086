import { toBytes } from "./bytes.js"
import { keepKeys } from "./keys.js"

/** Makes the HMAC of a text with a secret. */
export function createMac(hash: "SHA-1" | "SHA-256"): (secret: string, text: string) => Promise<ArrayBuffer> {
  const getKey = keepKeys((secret) =>
    crypto.subtle.importKey("raw", toBytes(secret), { name: "HMAC", hash }, false, ["sign"]),
  )
  return async (secret, text) => crypto.subtle.sign("HMAC", await getKey(secret), toBytes(text))
}
