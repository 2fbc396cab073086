import type { Awaitable } from "../contract/awaitable.js"
import { andThen } from "./and-then.js"
import { BoundedMap } from "./bounded-map.js"

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
