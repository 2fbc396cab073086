import type { AuthAction, ProviderType } from "@latchkey/types"
/**
 * Says what is wrong with an option's value: the rest of a sentence that begins with the option's path. Null when it
 * will do. The value itself is not repeated, since it may be a secret.
 */
export type OptionRule = (value: unknown) => string | null

/** What every provider has. */
export interface CommonProvider {
  /** Unique among the configured providers; part of URLs. */
  readonly id: string
  /** Shown on the sign-in button. */
  readonly name: string
  readonly type: ProviderType
  /**
   * Rules for options of this provider, by name. One that is broken refuses the configuration. That of an issuer must
   * also accept what `derive` makes of it.
   */
  readonly optionRules?: Readonly<Record<string, OptionRule>>
  readonly [signInMethod]?: object
}

/** The names of the service's HTTP actions: the first path segment below the base path. */
export const authActions: readonly AuthAction[] = [
  "callback",
  "csrf",
  "error",
  "providers",
  "session",
  "signin",
  "signout",
  "verify-request",
  "webauthn-options",
]

/**
 * Set as `config.raw` to get the {@link ResponseInternal} instead of a `Response`. For framework integrations.
 */
export const raw: unique symbol = Symbol("latchkey.raw")

/** Set as `config.skipCSRFCheck` by frameworks that protect their forms themselves. */
export const skipCSRFCheck: unique symbol = Symbol("latchkey.skip-csrf-check")

/** The key under which a provider's factory puts its sign-in method. */
export const signInMethod: unique symbol = Symbol.for("latchkey.sign-in-method")

/** Key of a provider under which a host puts the `fetch` that calls this provider's endpoints. */
export const customFetch: unique symbol = Symbol("latchkey.custom-fetch")

/** How the built-in pages and mails look. */
export interface Theme {
  /** `auto` follows the visitor's system. Default: `auto`. */
  readonly colorScheme?: "auto" | "dark" | "light"
  /** URL of an image, absolute (http or https) or a path. */
  readonly logo?: string
  /** A CSS colour: hexadecimal, a name, or a colour function. */
  readonly brandColor?: string
  /** A CSS colour. Default: black or white, whichever can be read on `brandColor`. */
  readonly buttonText?: string
}

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined
}

/** A value that may come later. Code that receives one awaits it; code that returns one need not be `async`. */
export type Awaitable<T> = T | PromiseLike<T>

/** Milliseconds since 1970-01-01T00:00:00Z. Comes in as a value, so that tests can hold time still. */
export type Clock = () => number
