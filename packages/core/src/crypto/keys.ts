import { InvalidConfiguration, MissingSecret } from "../errors/errors.js"
import { BoundedMap } from "../runtime/cache.js"
import { andThen } from "../runtime/promise.js"
import type { Awaitable } from "../types/basics.js"
import type { Secret } from "../types/jwt.js"

/** How many secrets a list may hold. Each costs a key derivation for every purpose it is used for. */
export const maxSecrets = 10

/** Characters. A shorter secret can be guessed. */
export const minSecretLength = 32

/** A random text of 32 characters has twice as many different ones. */
const minDistinct = 6
const placeholder = /^(?:change|replace)[-_ ]?(?:me|this|it)|^your[-_ ]?(?:auth[-_ ]?)?secret|^insert[-_ ]/i

/** What can be seen to make a secret easy to guess, as the rest of a sentence; null when nothing can. */
export function findWeakness(secret: string): string | null {
  if (secret.length < minSecretLength) return `shorter than ${minSecretLength} characters`
  if (new Set(secret).size < minDistinct) return "made of a few characters over and over"
  return placeholder.test(secret) ? "a placeholder" : null
}

/** At least one secret, newest first. */
export type Secrets = readonly [string, ...string[]]

/**
 * The secrets as a list.
 * @throws MissingSecret when there is none; InvalidConfiguration when the list holds something else or too many.
 */
export function toSecrets(secret: Secret | undefined): Secrets {
  const secrets: readonly unknown[] = Array.isArray(secret) ? secret : [secret]
  const [first] = secrets
  if (first === undefined || (first === "" && secrets.length === 1)) throw new MissingSecret("secret: is not set")
  if (secrets.length > maxSecrets) throw new InvalidConfiguration(`secret: at most ${maxSecrets} secrets are allowed`)
  if (!areSecrets(secrets)) throw new InvalidConfiguration("secret: each must be a text that is not empty")
  return secrets
}

/** @throws MissingSecret, InvalidConfiguration */
export function assertSecret(secret: Secret | undefined): asserts secret is Secret {
  toSecrets(secret)
}

function areSecrets(secrets: readonly unknown[]): secrets is Secrets {
  return secrets.every((secret) => typeof secret === "string" && secret !== "")
}

const secretsKept = 256
const purposesKept = 256

/** Keys by secret and purpose, each derived when first asked for. */
export interface KeptKeys<Key> {
  get(secret: string, purpose: string): Awaitable<Key>
  /** The key if it was derived already. */
  find(secret: string, purpose: string): Key | undefined
}

/** Keeps what `derive` makes, for the newest 256 secrets and 256 purposes of each. */
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
      // Keys are kept, never promises: on some runtimes a promise may be awaited only in the request that made it.
      return find(secret, purpose) ?? andThen(derive(secret, purpose), (key) => keep(secret, purpose, key))
    },
  }
}
