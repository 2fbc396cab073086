import type { AuthAction, ProviderType } from "@latchkey/types"

/**
 * Validates an option. Returns the rest of a sentence that begins with the option's path ("must be text"), or null if
 * the value is valid. Must not repeat the value, which may be a secret.
 */
export type OptionRule = (value: unknown) => string | null

/** The fields that all providers share. */
export interface CommonProvider {
  /** Unique among the configured providers; part of URLs. */
  readonly id: string
  /** Shown on the sign-in button. */
  readonly name: string
  /** The sign-in method. */
  readonly type: ProviderType
  /**
   * Rules for options of this provider, by name. The configuration is refused if one of them fails. A rule for the
   * issuer must also accept the issuer that `derive` returns.
   */
  readonly optionRules?: Readonly<Record<string, OptionRule>> | undefined
  /** The code that signs visitors in with this provider, set by its factory. */
  readonly [signInMethod]?: object | undefined
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

// Registered symbols, so that two copies of this package in one app understand each other.

/**
 * Set `config.raw` to it to get a {@link ResponseInternal} instead of a `Response`, for framework integrations.
 * @internal
 */
export const raw: unique symbol = Symbol.for("latchkey.raw")

/**
 * Set `config.skipCSRFCheck` to it to turn CSRF tokens off, in frameworks that protect their forms themselves.
 * @internal
 */
export const skipCSRFCheck: unique symbol = Symbol.for("latchkey.skip-csrf-check")

/** The key under which a provider's factory puts its sign-in method. */
export const signInMethod: unique symbol = Symbol.for("latchkey.sign-in-method")

/** Key of a provider option: the `fetch` that calls this provider. */
export const customFetch: unique symbol = Symbol.for("latchkey.custom-fetch")

/** Name, logo, colors and shapes of the built-in pages and of the emails. */
export interface Theme {
  /** The name of your site, on the built-in pages and in the sign-in email. Default: the issuer of `totp()`, else the host of the request. */
  readonly name?: string | undefined
  /** `auto` follows the system's setting. Default: `auto`. */
  readonly colorScheme?: "auto" | "dark" | "light" | undefined
  /** URL of an image, absolute (http or https) or a path. */
  readonly logo?: string | undefined
  /** The logo on dark pages. Default: `logo`. */
  readonly logoDark?: string | undefined
  /** Color of buttons and links, as a CSS color: hexadecimal, a name, or a color function. */
  readonly brandColor?: string | undefined
  /** Color of text on buttons, as a CSS color. Default: black or white, whichever is readable on `brandColor`. */
  readonly buttonText?: string | undefined
  /** Radius of corners: whole pixels up to 24. Default: 8 pixels. */
  readonly cornerRadius?: number | undefined
  /**
   * Names of installed fonts, the best first, as in CSS: `"Avenir Next", Georgia, serif`. Pages load no font. Default: the
   * system's font.
   */
  readonly fontFamily?: string | undefined
  /** `plain` leaves out the border and the background of the card. Default: `card`. */
  readonly layout?: "card" | "plain" | undefined
  /** Links below every page, and in every email. */
  readonly links?: ThemeLinks | undefined
  /**
   * Remembers in a cookie which provider the visitor chose last, and lists it first. The cookie holds the id of the provider
   * for a year. Default: false.
   */
  readonly rememberProvider?: boolean | undefined
  /** How many provider buttons the sign-in page shows before it folds the rest. Default: six. */
  readonly visibleProviders?: number | undefined
}

/** Links to pages of your app, or of another site: http(s) URLs, or paths that begin with a slash. */
export interface ThemeLinks {
  /** The terms of service. */
  readonly terms?: string | undefined
  /** How you treat personal data. */
  readonly privacy?: string | undefined
  /** Where visitors find help. */
  readonly support?: string | undefined
}

/** Whether a value is a list of font names, without anything that would end a CSS declaration. */
export function isFontFamily(value: unknown): value is string {
  return typeof value === "string" && /^[\w\s"',-]+$/.test(value)
}

/** A value that JSON can hold. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject
/** An object that JSON can hold. Undefined members are left out. */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined
}

/** A value that may come later. Code that receives one awaits it; code that returns one need not be `async`. */
export type Awaitable<T> = T | PromiseLike<T>

/** Returns milliseconds since 1970-01-01T00:00:00Z. A parameter, so that tests can control time. */
export type Clock = () => number

/** Options that may be left out or undefined, as with `clientId: process.env.AUTH_GITHUB_ID`. */
export type Optional<Options> = { [Name in keyof Options]?: Options[Name] | undefined }
