import type { CommandContext } from "../config.js"
import type { Progress } from "../terminal.js"

/** Where a line has to be changed. */
export type FixPlace = "proxy" | "environment" | "config" | "provider" | "database" | "mail" | "code"

export interface Fix {
  readonly where: FixPlace
  /** The line to write, or what to do. */
  readonly text: string
  /** The file that has the line, relative to the folder of the command. */
  readonly file?: string
  readonly line?: number
}

/** The title of the guide that says more, and its section. */
export type Guide = readonly [title: string, section?: string]

/** What was seen: statuses, hosts, names, sizes. Never a secret, a token or an address of a person. */
export type Evidence = Readonly<Record<string, string | number | boolean>>

export interface Finding {
  readonly code: FindingCode
  /** An error keeps people from signing in, or lets others in. */
  readonly severity: "error" | "warning"
  readonly sentence: string
  /** The likeliest first. */
  readonly fixes: readonly Fix[]
  /** The findings that this one may follow from. The report shows it below the first of them that was found. */
  readonly causes: readonly FindingCode[]
  readonly guide: Guide
  readonly evidence: Evidence
}

/** A check that was not done, or a whole source that could not look. */
export interface Unchecked {
  readonly code: FindingCode | SourceName
  readonly reason: string
}

export interface Examination {
  readonly findings: readonly Finding[]
  readonly unchecked: readonly Unchecked[]
  /** Whether the source could not look to its end, so that the exit code is 2 if it found nothing. Default: false. */
  readonly isCutShort?: boolean
}

/** An examination without a result. */
export const nothing: Examination = { findings: [], unchecked: [] }

/** What a source gets. */
export interface DoctorInput {
  /** The base URL of the running site, without a slash at its end. */
  readonly url?: URL
  /** The absolute path of the configuration. */
  readonly config?: string
  /** The sources that are asked. Default: all. */
  readonly asked?: ReadonlySet<SourceName>
  /** Whether to accept invalid certificates, such as self-signed ones. */
  readonly insecure: boolean
  /** The address that gets a mail. */
  readonly sendMail?: string
  /** The DNS server that has the records of mail, by its address. Default: those of the machine. */
  readonly dnsServer?: string
  readonly context: CommandContext
  readonly progress: Progress
}

/** One way to look. @throws CannotLook when nothing can be said */
export type Source = (input: DoctorInput) => Promise<Examination>

/** A source cannot look at all. The message is shown, and the exit code is 2. */
export class CannotLook extends Error {
  override readonly name = "CannotLook"
}

export type SourceName = "public-routes" | "inside" | "configuration" | "files" | "store" | "mail" | "providers"

export type FindingCode =
  | PublicFinding
  | "trusted-proxies"
  | "response-headers"
  | "limiter-memory"
  | ConfigurationFinding
  | "matcher"
  | "edge-adapter"
  | "get-token"
  | "duplicate-core"
  | "auth-js-beside"
  | "version-skew"
  | "argon2-missing"
  | "env-file-in-git"
  | "tables"
  | "columns"
  | "indexes"
  | "collation"
  | "store-unreachable"
  | "store-forgets"
  | "store-clock"
  | "store-eviction"
  | "store-persistence"
  | "mail-unreachable"
  | "mail-login"
  | "mail-sender"

type PublicFinding =
  | "server-error"
  | "login-wall"
  | "base-path"
  | "host-untrusted"
  | "scheme"
  | "address"
  | "forged-host"
  | "forged-scheme"
  | "secrets-differ"
  | "cookies-dropped"
  | "cookies-merged"
  | "cookies-changed"
  | "query-dropped"
  | "body-dropped"
  | "body-changed"
  | "insecure-cookies"
  | "forms-refused"
  | "request-headers"
  | "session-cached"
  | "cache-control"
  | "clock"
  | "development-mode"
  | "provider-start"
  | "redirect-uri"
  | "client-id"

type ConfigurationFinding =
  | "config-unloaded"
  | "config-invalid"
  | "config-warning"
  | "secret-missing"
  | "secret-weak"
  | "auth-url"
  | "auth-url-scheme"
  | "auth-url-path"
  | "provider-incomplete"
  | "provider-unreachable"
  | "client-secret"
  | "client-auth-method"
  | "issuer"
  | "linking-unproven"
  | "password-short"
  | "adapter-methods"

/** What all findings with a code share. */
export interface FindingKind {
  /** The sources that look for it. */
  readonly sources: readonly SourceName[]
  readonly guide: Guide
  /** The mistakes that also cause it. */
  readonly causes?: readonly FindingCode[]
}

const urls = ["Configuration", "Environment variables"] as const
const proxies = ["Proxies", "If it does not work"] as const
const broken = ["server-error", "login-wall", "base-path", "host-untrusted"] as const
const addresses = ["scheme", "address"] as const

/** All findings, in the order of the report: causes before what follows from them. */
export const findingKinds: Readonly<Record<FindingCode, FindingKind>> = {
  "config-unloaded": { sources: ["configuration"], guide: ["Configuration"] },
  "duplicate-core": { sources: ["files"], guide: ["Migrating from Auth.js"] },
  "auth-js-beside": { sources: ["files"], guide: ["Migrating from Auth.js"] },
  "version-skew": { sources: ["files"], guide: ["Migrating from Auth.js"] },
  "secret-missing": { sources: ["configuration"], guide: urls },
  "secret-weak": { sources: ["configuration"], guide: ["Security details", "Secret"] },
  "auth-url-scheme": { sources: ["configuration"], guide: urls },
  "auth-url": { sources: ["configuration"], guide: urls },
  "auth-url-path": { sources: ["configuration"], guide: urls },
  "provider-incomplete": { sources: ["configuration"], guide: ["Errors and logging", "Providers that are not set up"] },
  "config-invalid": { sources: ["configuration"], guide: ["Configuration", "Configuration errors"] },
  "adapter-methods": { sources: ["configuration"], guide: ["Databases"] },
  "login-wall": { sources: ["public-routes", "files"], guide: ["Security details", "Protect every route"] },
  "server-error": {
    sources: ["public-routes"],
    guide: ["Configuration", "Configuration errors"],
    causes: ["secret-missing", "secret-weak", "config-invalid", "adapter-methods", "host-untrusted"],
  },
  "host-untrusted": { sources: ["public-routes", "configuration"], guide: ["The app's public URL", "`UntrustedHost`"] },
  "base-path": { sources: ["public-routes"], guide: proxies, causes: ["auth-url-path", "auth-url"] },
  scheme: { sources: ["public-routes"], guide: ["Proxies", "nginx"], causes: ["auth-url", "auth-url-scheme"] },
  address: { sources: ["public-routes"], guide: proxies, causes: ["auth-url", "auth-url-scheme"] },
  "forged-host": { sources: ["public-routes"], guide: ["Proxies", "nginx"] },
  "forged-scheme": { sources: ["public-routes"], guide: ["Proxies", "nginx"], causes: ["scheme"] },
  "trusted-proxies": { sources: ["inside", "configuration"], guide: ["Proxies", "The app"] },
  "cookies-merged": { sources: ["public-routes"], guide: ["Security details", "Cookies"], causes: broken },
  "query-dropped": { sources: ["public-routes"], guide: proxies, causes: broken },
  "body-dropped": { sources: ["public-routes"], guide: proxies, causes: broken },
  "body-changed": { sources: ["public-routes"], guide: proxies, causes: broken },
  "cookies-changed": { sources: ["public-routes"], guide: ["Security details", "Cookies"], causes: broken },
  "cookies-dropped": { sources: ["public-routes"], guide: ["Security details", "Cookies"], causes: broken },
  "secrets-differ": { sources: ["public-routes"], guide: ["Security details", "Secret"] },
  "insecure-cookies": {
    sources: ["public-routes"],
    guide: ["Security details", "Cookies"],
    causes: [...addresses, "auth-url", "forged-scheme", "cookies-changed"],
  },
  "forms-refused": {
    sources: ["public-routes"],
    guide: ["Security details", "Forms"],
    causes: [...broken, ...addresses, "cookies-merged", "cookies-dropped", "body-dropped", "secrets-differ"],
  },
  "request-headers": { sources: ["public-routes"], guide: ["Proxies", "Large cookies"] },
  "response-headers": { sources: ["public-routes", "inside"], guide: ["Proxies", "Large cookies"] },
  "session-cached": { sources: ["public-routes"], guide: ["Going to production"] },
  "cache-control": { sources: ["public-routes"], guide: ["Going to production"], causes: ["session-cached"] },
  clock: { sources: ["public-routes", "inside", "providers"], guide: ["Going to production"] },
  "development-mode": { sources: ["public-routes", "configuration", "inside"], guide: ["Configuration", "Production"] },
  "limiter-memory": { sources: ["inside", "configuration"], guide: ["Rate limiting"] },
  "redirect-uri": {
    sources: ["public-routes"],
    guide: ["Errors and logging", "A provider that shows its own error page"],
    causes: ["scheme", "address", "base-path", "auth-url", "auth-url-path"],
  },
  "client-id": {
    sources: ["public-routes", "providers"],
    guide: ["Errors and logging", "A provider that shows its own error page"],
  },
  "client-secret": {
    sources: ["providers"],
    guide: ["OAuth and OpenID Connect", "Client authentication"],
    causes: ["client-id"],
  },
  "client-auth-method": { sources: ["providers"], guide: ["OAuth and OpenID Connect", "Client authentication"] },
  issuer: { sources: ["providers"], guide: ["OAuth and OpenID Connect"] },
  "provider-unreachable": { sources: ["providers"], guide: ["Outbound proxies"] },
  "provider-start": {
    sources: ["public-routes"],
    guide: ["Errors and logging", "Providers that are not set up"],
    causes: [
      ...broken,
      ...addresses,
      "forms-refused",
      "provider-incomplete",
      "provider-unreachable",
      "issuer",
      "cookies-merged",
      "cookies-dropped",
      "secrets-differ",
    ],
  },
  matcher: { sources: ["files"], guide: ["Security details", "Protect every route"] },
  "edge-adapter": { sources: ["files"], guide: ["Edge middleware with a Node adapter"] },
  "get-token": { sources: ["files"], guide: ["Sessions"] },
  "argon2-missing": { sources: ["files", "configuration"], guide: ["Passwords"] },
  "env-file-in-git": { sources: ["files"], guide: ["Security details", "Secret"] },
  "linking-unproven": { sources: ["configuration"], guide: ["Accounts and linking", "Verified email addresses"] },
  "password-short": { sources: ["configuration"], guide: ["Passwords"] },
  "config-warning": { sources: ["configuration"], guide: ["Security details", "Warnings in the log"] },
  "store-unreachable": { sources: ["store"], guide: ["Databases"] },
  tables: { sources: ["store"], guide: ["Databases", "SQL"], causes: ["store-unreachable"] },
  columns: { sources: ["store"], guide: ["Databases", "SQL"], causes: ["store-unreachable", "tables"] },
  indexes: { sources: ["store"], guide: ["Databases", "SQL"], causes: ["store-unreachable", "tables"] },
  collation: { sources: ["store"], guide: ["Databases", "SQL"] },
  "store-forgets": { sources: ["store"], guide: ["Databases"], causes: ["store-unreachable", "tables", "columns"] },
  "store-clock": { sources: ["store"], guide: ["Going to production"] },
  "store-eviction": { sources: ["store"], guide: ["Databases", "Redis"] },
  "store-persistence": { sources: ["store"], guide: ["Databases", "Redis"] },
  "mail-unreachable": { sources: ["mail"], guide: ["Sign-in by email"] },
  "mail-login": { sources: ["mail"], guide: ["Sign-in by email"], causes: ["mail-unreachable"] },
  "mail-sender": { sources: ["mail"], guide: ["Sign-in by email"] },
}

/** All codes, in the order of the report. */
export const findingCodes: readonly FindingCode[] = Object.keys(findingKinds).filter(isFindingCode)

export function isFindingCode(text: string): text is FindingCode {
  return Object.hasOwn(findingKinds, text)
}

/** What is specific to this finding. */
export type FindingDetails = Pick<Finding, "sentence" | "fixes"> &
  Partial<Pick<Finding, "severity" | "evidence" | "guide" | "causes">>

/** A finding with the guide and the causes of its kind. Default: an error without evidence. */
export function createFinding(code: FindingCode, details: FindingDetails): Finding {
  const { guide, causes = [] } = findingKinds[code]
  return { code, severity: "error", causes, guide, evidence: {}, ...details }
}
