import { InvalidConfiguration, MissingSecret } from "../errors/errors.js"
import { BoundedMap } from "../runtime/cache.js"
import { andThen } from "../runtime/promise.js"
import type { Awaitable } from "../types/basics.js"
import type { Secret } from "../types/jwt.js"

/** Maximum number of secrets. Each costs a key derivation for every purpose. */
export const maxSecrets = 10

/** Minimum characters of a secret. A shorter one can be guessed. */
export const minSecretLength = 32

/** Minimum number of different characters. 32 random ones have at least twice as many. */
const minDistinct = 6
const placeholder = /^(?:change|replace)[-_ ]?(?:me|this|it)|^your[-_ ]?(?:auth[-_ ]?)?secret|^insert[-_ ]/i

/** Why a secret is easy to guess, as the rest of a sentence ("shorter than 32 characters"), or null. */
export function findWeakness(secret: string): string | null {
  if (secret.length < minSecretLength) return `shorter than ${minSecretLength} characters`
  if (!hasDistinctStart(secret) && new Set(secret).size < minDistinct) return "made of a few repeated characters"
  return placeholder.test(secret) ? "a placeholder" : null
}

/** Whether the beginning has enough different characters, as that of a random secret has. A `Set` takes ten times as long. */
function hasDistinctStart(secret: string): boolean {
  let distinct = 0
  for (let at = 0; at < 16 && distinct < minDistinct; at++) {
    // Others may be halves of a character.
    if (secret.charCodeAt(at) < 0x80 && secret.indexOf(secret.charAt(at)) === at) distinct++
  }
  return distinct >= minDistinct
}

/** At least one secret, newest first. */
export type Secrets = readonly [string, ...string[]]

/**
 * Converts a secret to a list of secrets.
 * @throws MissingSecret if there is none; InvalidConfiguration if the list is too long or has another value.
 */
export function toSecrets(secret: Secret | undefined): Secrets {
  const secrets: readonly unknown[] = Array.isArray(secret) ? secret : [secret]
  const [first] = secrets
  if (first === undefined || (first === "" && secrets.length === 1)) throw new MissingSecret("secret: is not set")
  if (secrets.length > maxSecrets) throw new InvalidConfiguration(`secret: must have at most ${maxSecrets} secrets`)
  if (!areSecrets(secrets)) throw new InvalidConfiguration("secret: each one must be text and not empty")
  return secrets
}

/** @throws MissingSecret, InvalidConfiguration like {@link toSecrets}. */
export function assertSecret(secret: Secret | undefined): asserts secret is Secret {
  toSecrets(secret)
}

function areSecrets(secrets: readonly unknown[]): secrets is Secrets {
  return secrets.every((secret) => typeof secret === "string" && secret !== "")
}

const secretsKept = 256
const purposesKept = 256

/** Keys by secret and purpose, each derived on first use. */
export interface KeptKeys<Key> {
  /** Returns the key, and derives it if necessary. */
  get(secret: string, purpose: string): Awaitable<Key>
  /** The key if it is already derived. */
  find(secret: string, purpose: string): Key | undefined
}

/** Caches derived keys, for the newest 256 secrets and 256 purposes of each. */
export function keepKeys<Key>(derive: (secret: string, purpose: string) => Awaitable<Key>): KeptKeys<Key> {
  const kept = new BoundedMap<string, BoundedMap<string, Key>>(secretsKept)

  function find(secret: string, purpose: string): Key | undefined {
    return kept.get(secret)?.get(purpose)
  }

  function keep(secret: string, purpose: string, key: Key): Key {
    const keys = kept.get(secret) ?? new BoundedMap<string, Key>(purposesKept)
    keys.set(purpose, key)
    kept.set(secret, keys)
    return key
  }

  return {
    find,
    get(secret, purpose) {
      // Caches keys, not promises: on some runtimes a promise can only be awaited in the request that created it.
      return find(secret, purpose) ?? andThen(derive(secret, purpose), (key) => keep(secret, purpose, key))
    },
  }
}
