import { isHttp } from "../http/origin.js"
import { parseColor } from "../pages/theme/color.js"
import type { AuthConfig } from "../types/config.js"
import type { OAuth2Config, OIDCConfig } from "../types/oauth-provider.js"
import type { CredentialsConfig, EmailConfig, ProviderConfig, WebAuthnConfig } from "../types/providers.js"
import { isObject, type OptionKind, options } from "./options.js"

// Loaded outside of production only, after the service was created: developers see the warning, and production saves the
// code.

/**
 * A sentence about each option that nothing reads, such as `session.maxage`. A provider may have fields of the app's own,
 * so only those that look like a known option are listed.
 */
export function listUnknownOptions(config: AuthConfig): readonly string[] {
  return [...listUnknown(config, options, ""), ...config.providers.flatMap(listUnknownOfProvider)]
}

/** A sentence about each value that cannot be used: of the theme, of the style of a provider, of the session. */
export function listIneffectiveValues({ theme, providers, session, adapter }: AuthConfig): readonly string[] {
  const { brandColor, buttonText, colorScheme, logo, logoDark } = theme ?? {}
  return [
    ...(adapter ? describeUpdateAge(session ?? {}) : []),
    ...describeColor("theme.brandColor", brandColor),
    ...describeColor("theme.buttonText", buttonText),
    ...describeImage("theme.logo", logo),
    ...describeImage("theme.logoDark", logoDark),
    ...(colorScheme && !["auto", "dark", "light"].includes(colorScheme)
      ? [`theme.colorScheme: ${JSON.stringify(colorScheme)} is not "auto", "dark" or "light"`]
      : []),
    ...providers.flatMap(listIneffectiveStyle),
  ]
}

/** Stateless sessions have no use for it, and configurations that set it anyway are common. */
function describeUpdateAge({ strategy, maxAge, updateAge }: NonNullable<AuthConfig["session"]>): readonly string[] {
  if (strategy === "jwt" || !maxAge || !updateAge || updateAge < maxAge) return []
  return ["session.updateAge: must be less than session.maxAge, because no stored session is extended otherwise"]
}

function listIneffectiveStyle(provider: AuthConfig["providers"][number]): readonly string[] {
  if (typeof provider === "function") return []
  const { id, style }: { readonly id?: unknown; readonly style?: unknown } = {
    ...provider,
    ...Object(provider.options),
  }
  return describeColor(`providers.${id}.style.brandColor`, Object(style).brandColor)
}

function describeColor(path: string, value: unknown): readonly string[] {
  if (typeof value !== "string" || value === "" || parseColor(value) !== null) return []
  return [`${path}: ${JSON.stringify(value)} is not a CSS color, such as #0b6e4f or rgb(11 110 79)`]
}

function describeImage(path: string, value: unknown): readonly string[] {
  if (typeof value !== "string" || value === "" || isHttp(URL.parse(value.trim(), "https://localhost"))) return []
  return [`${path}: must be a path or an http(s) URL, because the pages load no other image`]
}

/** Objects that have other members too: a logger, and the callbacks of an integration. */
const openOptions: ReadonlySet<string> = new Set(["logger", "callbacks.authorized"])

function listUnknown(given: object, known: Readonly<Record<string, OptionKind>>, path: string): readonly string[] {
  return Object.keys(given).flatMap((name) => {
    if (openOptions.has(path + name)) return []
    const kind = Object.hasOwn(known, name) ? known[name] : undefined
    if (!kind) return describe(path, name, findNearest(name, Object.keys(known)))
    const value: unknown = kind.fields && Reflect.get(given, name)
    return kind.fields && isObject(value) ? listUnknown(value, kind.fields, `${path}${name}.`) : []
  })
}

function describe(path: string, name: string, nearest: string | undefined): readonly string[] {
  const advice = nearest === undefined ? "" : `. Did you mean ${path}${nearest}?`
  return [`${path}${name}: unknown option${advice}`]
}

type NamesOf<Config> = Readonly<Record<Exclude<keyof Config, symbol>, true>>

/** What every provider has. */
const common = { id: true, name: true, type: true, options: true, optionRules: true } as const

const oauth: NamesOf<OAuth2Config & OIDCConfig> = {
  ...common,
  account: true,
  advanced: true,
  allowDangerousEmailAccountLinking: true,
  apiKey: true,
  authorization: true,
  checks: true,
  client: true,
  clientId: true,
  clientSecret: true,
  derive: true,
  idToken: true,
  idTokenAlgorithms: true,
  isIssuer: true,
  issuer: true,
  jwks_endpoint: true,
  logout: true,
  profile: true,
  redirectProxyUrl: true,
  revocation: true,
  style: true,
  token: true,
  userinfo: true,
  wellKnown: true,
}
const email: NamesOf<EmailConfig> = {
  ...common,
  apiKey: true,
  code: true,
  codeInSubject: true,
  opening: true,
  from: true,
  generateVerificationToken: true,
  maxAge: true,
  normalizeIdentifier: true,
  secret: true,
  sendVerificationRequest: true,
  server: true,
  style: true,
}
const credentials: NamesOf<CredentialsConfig> = { ...common, authorize: true, credentials: true }
const webauthn: NamesOf<WebAuthnConfig> = {
  ...common,
  acceptForeignUserHandles: true,
  authenticationOptions: true,
  decoyCredentials: true,
  enableConditionalUI: true,
  enableSignUp: true,
  formFields: true,
  getRelayingParty: true,
  getUserInfo: true,
  registrationOptions: true,
  relayingParty: true,
  simpleWebAuthnBrowserVersion: true,
  verifyAuthenticationOptions: true,
  verifyRegistrationOptions: true,
}
const namesByType: ReadonlyMap<string, Readonly<Record<string, true>>> = new Map<
  string,
  Readonly<Record<string, true>>
>([
  ["oauth", oauth],
  ["oidc", oauth],
  ["email", email],
  ["credentials", credentials],
  ["webauthn", webauthn],
])

/** Where an option belongs that people write at the top of an OAuth provider. */
const places: Readonly<Record<string, string>> = {
  accessTokenUrl: "token",
  allowInsecureRequests: "advanced.allowInsecureRequests",
  answerLimits: "advanced.answerLimits",
  authorizationUrl: "authorization",
  clockToleranceSeconds: "advanced.clockToleranceSeconds",
  jwks_uri: "jwks_endpoint",
  profileUrl: "userinfo",
  scope: "authorization.params.scope",
  token_endpoint_auth_method: "client.token_endpoint_auth_method",
}

function listUnknownOfProvider(provider: AuthConfig["providers"][number]): readonly string[] {
  if (typeof provider === "function") return []
  const known = namesByType.get(provider.type)
  if (!known) return []
  const given: ProviderConfig = { ...provider, ...Object(provider.options) }
  // A provider has a rule for each option of its own.
  const own = Object.keys(provider.optionRules ?? {})
  return Object.keys(given).flatMap((name) => {
    if (Object.hasOwn(known, name) || own.includes(name)) return []
    const place = known === oauth && Object.hasOwn(places, name) ? places[name] : undefined
    const nearest = place ?? findNearest(name, [...Object.keys(known), ...own])
    return nearest === undefined ? [] : describe(`providers.${given.id}.`, name, nearest)
  })
}

/** The known name that differs in case or in few letters only, or is the plural. */
export function findNearest(name: string, known: readonly string[]): string | undefined {
  const mostEdits = name.length < 5 ? 0 : name.length < 8 ? 1 : 2
  const [nearest] = known
    .map((other) => ({ other, edits: countEdits(name.toLowerCase(), other.toLowerCase()) }))
    .filter(({ other, edits }) => edits <= mostEdits || other === `${name}s`)
    .sort((one, other) => one.edits - other.edits)
  return nearest?.other
}

/**
 * The optimal string alignment distance: how many letters to insert, delete or replace, or neighbors to swap.
 */
function countEdits(from: string, to: string): number {
  let before: readonly number[] = []
  let row: readonly number[] = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let at = 0; at < from.length; at++) {
    const next = [at + 1]
    for (let index = 1; index <= to.length; index++) {
      const replaced = (row[index - 1] ?? 0) + (from[at] === to[index - 1] ? 0 : 1)
      const isSwap = from[at] === to[index - 2] && from[at - 1] === to[index - 1]
      const swapped = isSwap ? (before[index - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY
      next.push(Math.min(replaced, swapped, (row[index] ?? 0) + 1, (next[index - 1] ?? 0) + 1))
    }
    before = row
    row = next
  }
  return row[to.length] ?? 0
}
