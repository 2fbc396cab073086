import { readdirSync } from "node:fs"

/** Facts from a vendor's documentation, recorded independently of the module that has to match them. */
export interface ProviderFacts {
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

export interface NamedFacts extends ProviderFacts {
  /** The file of the module and of the fixture, without its extension. */
  readonly file: string
}

const fixtures = new URL("fixtures/", import.meta.url)

/** The facts of all OAuth and OpenID Connect providers, from their fixtures. */
export const providerFacts: readonly NamedFacts[] = await Promise.all(
  readdirSync(fixtures).map(async (name): Promise<NamedFacts> => {
    const { facts }: { readonly facts: ProviderFacts } = await import(new URL(name, fixtures).href)
    return { file: name.replace(".ts", ""), ...facts }
  }),
)
