import { readFileSync } from "node:fs"

/** Facts from a vendor's documentation, recorded independently of the module that has to match them. */
export interface ProviderFacts {
  /** The module's file name. */
  readonly file: string
  readonly id: string
  readonly name: string
  readonly type: "oauth" | "oidc"
  /** Required options besides the client ID and secret. */
  readonly options?: Readonly<Record<string, string>>
  readonly issuer?: string
  readonly wellKnown?: string
  readonly authorization?: string
  /** Default: `openid profile email`. */
  readonly scope?: string
  /** Parameters of the authorization request besides the scope. */
  readonly params?: Readonly<Record<string, unknown>>
  readonly token?: string
  readonly userinfo?: string
  /** Parameters of the profile request. */
  readonly fields?: Readonly<Record<string, string>>
  readonly checks: readonly string[]
  readonly authentication: string
  readonly idTokenAlgorithm?: string
  readonly profileFrom?: "userinfo"
}

const text = readFileSync(new URL("provider-facts.jsonl", import.meta.url), "utf8")

/** All OAuth and OpenID Connect providers, one per line of the file. */
export const providerFacts: readonly ProviderFacts[] = text
  .trim()
  .split("\n")
  .map((line): ProviderFacts => JSON.parse(line))
