import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { OAuth2Config, OIDCConfig, OptionRule, ProviderConfig } from "../packages/core/src/types/index.js"

const core = join(import.meta.dirname, "..", "packages", "core")
const folder = join(core, "src", "providers")

/** Every module of the catalogue; `oidc` is for providers that are not in it. */
const files: readonly string[] = readdirSync(folder)
  .filter((file) => file.endsWith(".ts") && !file.includes(".test.") && file !== "index.ts" && file !== "oidc.ts")
  .map((file) => file.replace(".ts", ""))
  .sort()

interface Row {
  readonly file: string
  readonly provider: ProviderConfig
  readonly isDeprecated: boolean
  /** Whether its fixture's person has an address; null where the question makes no sense. */
  readonly hasEmail: boolean | null
}

/** `docs/providers.md` as it should be, from the modules themselves. */
export async function renderProviderTable(): Promise<string> {
  const rows = await Promise.all(files.map(readRow))
  const ofType = (...types: readonly string[]): readonly Row[] =>
    rows.filter(({ provider: { type } }) => types.includes(type))
  const oauth = ofType("oauth", "oidc")
  const mail = ofType("email")
  const own = ofType("credentials", "webauthn")
  return [
    ...introduction(oauth.length, mail.length),
    ...table(["provider", "id", "type", "variables", "scopes", "checks", "email", "peculiar"], oauth.map(toOAuthCells)),
    "",
    "## Mailed links",
    "",
    "They need an adapter. Nothing is registered anywhere.",
    "",
    ...table(["provider", "id", "variables", "options"], mail.map(toMailCells)),
    "",
    "## Of your own",
    "",
    ...table(
      ["provider", "id"],
      own.map((row) => [nameOf(row), idOf(row)]),
    ),
    "",
  ].join("\n")
}

async function readRow(file: string): Promise<Row> {
  const source = readFileSync(join(folder, `${file}.ts`), "utf8")
  const { default: factory }: { readonly default: (options: object) => ProviderConfig } = await import(
    `@latchkey/core/providers/${file}`
  )
  const provider = factory({ server: "smtp://localhost" })
  return { file, provider, isDeprecated: source.includes(" * @deprecated"), hasEmail: await findEmail(file, provider) }
}

async function findEmail(file: string, { type }: ProviderConfig): Promise<boolean | null> {
  if (type !== "oauth" && type !== "oidc") return null
  const { fixture }: { readonly fixture: { readonly user: { readonly email?: string | null } } } = await import(
    join(core, "test", "providers", "fixtures", `${file}.ts`)
  )
  return typeof fixture.user.email === "string"
}

function introduction(oauth: number, mail: number): readonly string[] {
  return [
    "# Providers",
    "",
    `${oauth} identity providers and ${mail} ways to mail a link. Each is a module of its own, and importing one loads no other.`,
    "What it asks for and why, and what may be missing, stands in the comment of its factory, which your editor shows.",
    "",
    "- Import it from `@latchkey/core/providers/<id>`, and register the callback URL `<origin>/auth/callback/<id>` with the provider.",
    "- A variable in brackets is not always needed. What you pass to the factory wins over the environment.",
    "- With a yes under email it tells an address, which may still be missing for some people, and is not always verified.",
    "- Scopes are `openid profile email` where the column is empty; `none` means that none is sent.",
    "- `state` is sent and compared with every provider, whatever its checks are.",
    "- A provider that is not here: `@latchkey/core/providers/oidc` takes any with a discovery document, and an object of your own works as those here do.",
    "- This file is made from the modules: `npm test -- --project house provider-table -u`.",
    "",
    "## OAuth 2.0 and OpenID Connect",
    "",
  ]
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`
  return [line(head), `|${head.map(() => "---").join("|")}|`, ...rows.map(line)]
}

type OAuthProvider = OAuth2Config<never> | OIDCConfig<never>

function toOAuthCells(row: Row): readonly string[] {
  const provider = row.provider as OAuthProvider // The rows were chosen by their type.
  return [
    nameOf(row),
    idOf(row),
    provider.type,
    variablesOf(provider),
    scopesOf(provider),
    (provider.checks ?? ["pkce"]).join(", "),
    row.hasEmail ? "yes" : "no",
    peculiaritiesOf(provider).join("; "),
  ]
}

function toMailCells(row: Row): readonly string[] {
  return [
    nameOf(row),
    idOf(row),
    rulesOf(row.provider).apiKey ? code(`${prefixOf(row.provider)}KEY`) : "",
    optionsOf(row.provider),
  ]
}

function nameOf({ provider: { name }, isDeprecated }: Row): string {
  return isDeprecated ? `*${name}* (deprecated)` : name
}

/** One module is named otherwise than its provider. */
function idOf({ file, provider: { id } }: Row): string {
  return file === id ? code(id) : `${code(id)} from ${code(`providers/${file}`)}`
}

const code = (text: string): string => `\`${text}\``
const prefixOf = ({ id }: ProviderConfig): string => `AUTH_${id.toUpperCase().replaceAll("-", "_")}_`

type Rules = Readonly<Partial<Record<"issuer" | "apiKey", OptionRule>>> & Readonly<Record<string, OptionRule>>

function rulesOf({ optionRules = {} }: ProviderConfig): Rules {
  return optionRules
}

function isRequired(rule: OptionRule): boolean {
  return rule(undefined) !== null
}

function variablesOf(provider: OAuthProvider): string {
  const { issuer, apiKey } = rulesOf(provider)
  const further = [
    ...(issuer ? [isRequired(issuer) ? code("_ISSUER") : `(${code("_ISSUER")})`] : []),
    ...(apiKey ? [code("_KEY")] : []),
  ]
  return [code(`${prefixOf(provider)}ID`), code("_SECRET"), ...further].join(", ")
}

function optionsOf(provider: ProviderConfig): string {
  const named = Object.keys(rulesOf(provider)).filter((name) => name !== "issuer" && name !== "apiKey")
  return named.map(code).join(", ")
}

function scopesOf(provider: OAuthProvider): string {
  const derived = { ...provider, ...provider.derive?.({ issuer: "https://id.example.com", clientId: "c" }) }
  const { authorization } = derived
  const endpoint = typeof authorization === "object" ? authorization : { ...(authorization && { url: authorization }) }
  const query = URL.parse(String(endpoint.url))?.searchParams
  const own = typeof provider.authorization === "object" ? provider.authorization.params?.["scope"] : undefined
  const scope = endpoint.params?.["scope"] ?? own ?? query?.get("scope")
  if (scope === "") return "none"
  return typeof scope === "string" ? code(scope) : ""
}

/** What of the flow is not as with most, in words. */
function peculiaritiesOf(provider: OAuthProvider): readonly string[] {
  const { authorization, token, userinfo, client } = provider
  const options = optionsOf(provider)
  const found: readonly (readonly [unknown, string])[] = [
    [options, `option ${options}`],
    [hasHook(authorization, "request"), "own names in the authorization URL"],
    [hasHook(authorization, "conform"), "callback read its own way"],
    [isFormPost(authorization), "callback is a form post"],
    [client?.token_endpoint_auth_method === "client_secret_post", "secret in the form"],
    [hasHook(token, "request"), "own token request"],
    [hasHook(token, "conform"), "token answer repaired"],
    [client?.id_token_signed_response_alg, `ID token by ${client?.id_token_signed_response_alg}`],
    [provider.idTokenAlgorithms, `ID token by ${provider.idTokenAlgorithms?.join(" or ")}`],
    [client?.userinfo_signed_response_alg, "signed profile"],
    [provider.type === "oidc" && provider.idToken === false, "profile from userinfo"],
    [hasHook(userinfo, "request"), "own profile request"],
  ]
  return found.filter(([holds]) => Boolean(holds)).map(([, words]) => words)
}

function hasHook(endpoint: unknown, name: "request" | "conform"): boolean {
  return typeof endpoint === "object" && endpoint !== null && name in endpoint
}

function isFormPost(authorization: OAuthProvider["authorization"]): boolean {
  return typeof authorization === "object" && authorization.params?.["response_mode"] === "form_post"
}
