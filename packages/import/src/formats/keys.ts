import { toBytes } from "./bytes.js"

/** The secrets of an option. */
export type SecretOption = string | readonly string[]

export function toSecrets(secret: SecretOption | undefined): readonly string[] {
  if (secret === undefined) return []
  return typeof secret === "string" ? [secret] : secret
}

/** Derives a key for each secret, once. Keeps keys, not promises: on some runtimes a promise belongs to one request. */
function keepKeys<Key>(derive: (secret: string) => Promise<Key>): (secret: string) => Promise<Key> {
  const kept = new Map<string, Key>()
  return async (secret) => {
    const known = kept.get(secret)
    if (known !== undefined) return known
    const key = await derive(secret)
    kept.set(secret, key)
    return key
  }
}

/** Makes the HMAC of a text with a secret. */
export function createMac(hash: "SHA-1" | "SHA-256"): (secret: string, text: string) => Promise<ArrayBuffer> {
  const getKey = keepKeys((secret) =>
    crypto.subtle.importKey("raw", toBytes(secret), { name: "HMAC", hash }, false, ["sign"]),
  )
  return async (secret, text) => crypto.subtle.sign("HMAC", await getKey(secret), toBytes(text))
}
