/** The secrets of an option. */
export type SecretOption = string | readonly string[]

export function toSecrets(secret: SecretOption | undefined): readonly string[] {
  if (secret === undefined) return []
  return typeof secret === "string" ? [secret] : secret
}

/** Derives a key for each secret, once. Keeps keys, not promises: on some runtimes a promise belongs to one request. */
export function keepKeys<Key>(derive: (secret: string) => Promise<Key>): (secret: string) => Promise<Key> {
  const kept = new Map<string, Key>()
  return async (secret) => {
    const known = kept.get(secret)
    if (known !== undefined) return known
    const key = await derive(secret)
    kept.set(secret, key)
    return key
  }
}
