import { readFileSync } from "node:fs"

/** What a vendor's documentation says of its sign-in, written down apart from the module that has to say the same. */
export interface ProviderFacts {
  /** The module's file. */
  readonly file: string
  readonly id: string
  readonly name: string
  readonly type: "oauth" | "oidc"
  /** What a host must pass besides id and secret. */
  readonly options?: Readonly<Record<string, string>>
  readonly issuer?: string
  readonly wellKnown?: string
  readonly authorization?: string
  /** Default: `openid profile email`. */
  readonly scope?: string
  /** Of the authorization request, besides the scope. */
  readonly params?: Readonly<Record<string, unknown>>
  readonly token?: string
  readonly userinfo?: string
  /** Of the profile request. */
  readonly fields?: Readonly<Record<string, string>>
  readonly checks: readonly string[]
  readonly authentication: string
  readonly idTokenAlgorithm?: string
  readonly profileFrom?: "userinfo"
}

const text = readFileSync(new URL("provider-facts.jsonl", import.meta.url), "utf8")

/** All OAuth and OpenID Connect providers, one a line of the file. */
export const providerFacts: readonly ProviderFacts[] = text
  .trim()
  .split("\n")
  .map((line): ProviderFacts => JSON.parse(line))
