import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type {
  AnyValue,
  OAuth2Config,
  OIDCConfig,
  OptionRule,
  ProviderConfig,
} from "../../packages/core/src/types/index.js"

const core = join(import.meta.dirname, "..", "..", "packages", "core")
const folder = join(core, "src", "providers")

/** Every module of the catalogue; `oidc` is for providers outside it. */
const files: readonly string[] = readdirSync(folder)
  .filter((file) => file.endsWith(".ts") && !file.includes(".test.") && file !== "index.ts" && file !== "oidc.ts")
  .map((file) => file.replace(".ts", ""))
  .sort()

interface Row {
  readonly file: string
  readonly provider: ProviderConfig
  readonly isDeprecated: boolean
  /** Whether the fixture's user has an email address; null for types other than OAuth and OpenID Connect. */
  readonly hasEmail: boolean | null
}

/** Renders `docs/providers.md` from the provider modules. */
export async function renderProviderTable(): Promise<string> {
  const rows = await Promise.all(files.map(readRow))
  const ofType = (...types: readonly string[]): readonly Row[] =>
    rows.filter(({ provider: { type } }) => types.includes(type))
  const oauth = ofType("oauth", "oidc")
  const mail = ofType("email")
  const own = ofType("credentials", "webauthn")
  return [
    ...introduction(oauth.length, mail.length),
    ...table(
      ["provider", "id", "type", "variables", "scopes", "checks", "email", "deviations"],
      oauth.map(toOAuthCells),
    ),
    "",
    "## Email links",
    "",
    "These providers need an adapter. You do not need to register a callback URL.",
    "",
    ...table(["provider", "id", "variables", "options"], mail.map(toMailCells)),
    "",
    "## Credentials and passkeys",
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
    `Latchkey has ${oauth} identity providers and ${mail} ways to send email links. Each is a separate module, and importing one loads no other.`,
    "The doc comment of each factory, which your editor shows, explains its scopes and the fields that may be missing.",
    "",
    "- Import a provider from `@latchkey/core/providers/<id>`, and register the callback URL `<origin>/auth/callback/<id>` with the vendor.",
    "- Variables in parentheses are optional. Options that you pass to the factory take precedence over the environment.",
    "- *email*: whether the provider returns an email address. Even then, some users have none, and the address may be unverified.",
    "- *scopes*: if empty, `openid profile email`; `none` means that no scope is sent.",
    "- *checks*: `state` is always sent and compared, even if it is not listed.",
    "- On its button, each provider has [a logo of its own](guides/providers.md#buttons), or the first letter of its name.",
    "- For any other provider with a discovery document, use `@latchkey/core/providers/oidc`. [Your own provider objects](guides/providers.md#your-own-provider) work like the ones below.",
    "- This page is generated from the modules: `npm run generate -- providers`.",
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

type OAuthProvider = OAuth2Config<AnyValue> | OIDCConfig<AnyValue>

function toOAuthCells(row: Row): readonly string[] {
  const provider = row.provider as OAuthProvider // The caller filtered the rows by type.
  return [
    nameOf(row),
    idOf(row),
    provider.type,
    variablesOf(provider),
    scopesOf(provider),
    (provider.checks ?? ["pkce"]).join(", "),
    row.hasEmail ? "yes" : "no",
    deviationsOf(provider).join("; "),
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

/** One module has another name than its provider's ID. */
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
  const derived = { ...provider, ...provider.derive?.({ issuer: "https://id.example.com", clientId: "<client ID>" }) }
  const { authorization } = derived
  const endpoint = typeof authorization === "object" ? authorization : { ...(authorization && { url: authorization }) }
  const query = URL.parse(String(endpoint.url))?.searchParams
  const own = typeof provider.authorization === "object" ? provider.authorization.params?.["scope"] : undefined
  const scope = endpoint.params?.["scope"] ?? own ?? query?.get("scope")
  if (scope === "") return "none"
  return typeof scope === "string" ? code(scope) : ""
}

/** Describes how the provider's flow deviates from the standard. */
function deviationsOf(provider: OAuthProvider): readonly string[] {
  const { authorization, token, userinfo, client } = provider
  const options = optionsOf(provider)
  const found: readonly (readonly [unknown, string])[] = [
    [options, `option ${options}`],
    [hasHook(authorization, "request"), "custom authorization parameters"],
    [hasHook(authorization, "conform"), "custom callback"],
    [isFormPost(authorization), "callback by form post"],
    [client?.token_endpoint_auth_method === "client_secret_post", "`client_secret_post`"],
    [hasHook(token, "request"), "custom token request"],
    [hasHook(token, "conform"), "nonstandard token response"],
    [client?.id_token_signed_response_alg, `ID token signed with ${client?.id_token_signed_response_alg}`],
    [provider.idTokenAlgorithms, `ID token signed with ${provider.idTokenAlgorithms?.join(" or ")}`],
    [client?.userinfo_signed_response_alg, "signed userinfo"],
    [provider.type === "oidc" && provider.idToken === false, "profile from userinfo"],
    [hasHook(userinfo, "request"), "custom userinfo request"],
    [provider.logout, "custom sign-out"],
  ]
  return found.filter(([holds]) => Boolean(holds)).map(([, words]) => words)
}

function hasHook(endpoint: unknown, name: "request" | "conform"): boolean {
  return typeof endpoint === "object" && endpoint !== null && name in endpoint
}

function isFormPost(authorization: OAuthProvider["authorization"]): boolean {
  return typeof authorization === "object" && authorization.params?.["response_mode"] === "form_post"
}
