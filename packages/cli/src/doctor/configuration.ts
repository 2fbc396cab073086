import { join } from "node:path"
import type { Examined } from "@latchkey/core/diagnosis"
import { trimSlashes } from "../config.js"
import { readText } from "./app-files.js"
import { createFinding, type Evidence, type Examination, type Finding, type FindingCode, type Fix } from "./finding.js"
import { fixOption, fixVariable, type LiveConfiguration } from "./live-configuration.js"

/** The codes of warnings and errors that have a finding of their own. */
const codes: Readonly<Record<string, FindingCode>> = {
  MissingSecret: "secret-missing",
  UntrustedHost: "host-untrusted",
  MissingAdapter: "adapter-methods",
  MissingAdapterMethods: "adapter-methods",
  "secret-missing": "secret-missing",
  "short-secret": "secret-weak",
  "weak-secret": "secret-weak",
  "secret-blank": "secret-weak",
  "env-url-invalid": "auth-url-scheme",
  "env-url-basepath-redundant": "auth-url-path",
  "env-url-basepath-mismatch": "auth-url-path",
  "insecure-url": "auth-url",
  "provider-unusable": "provider-incomplete",
  "email-linking-unproven": "linking-unproven",
  "email-unproven": "linking-unproven",
}

/** What the configuration itself says: everything that the log would say at the start, and the address of the app. */
export async function checkConfiguration(live: LiveConfiguration): Promise<Examination> {
  const findings = [
    ...live.examined.map((each) => toFinding(each, live)),
    ...checkAddress(live),
    ...checkHost(live),
    ...checkMode(live),
    ...checkPasswords(live),
    ...checkLimiter(live),
  ]
  // Without a valid address, no host is trusted.
  const hasAddress = findings.some(({ code }) => code === "auth-url-scheme")
  return { findings: hasAddress ? findings.filter(({ code }) => code !== "host-untrusted") : findings, unchecked: [] }
}

function toFinding(examined: Examined, live: LiveConfiguration): Finding {
  const code = findCode(examined)
  const { isError, sentence, guide } = examined
  return createFinding(code, {
    severity: isError ? "error" : "warning",
    sentence: sentence.endsWith(".") ? sentence : `${sentence}.`,
    fixes: [findFix(code, examined, live)],
    // The guide of the log is more exact than that of the code.
    ...(guide && { guide }),
  })
}

function findCode({ code, sentence }: Examined): FindingCode {
  if (code === "InvalidConfiguration" && /^(?:jwt\.)?secret\b/.test(sentence)) return "secret-weak"
  if (code === "InvalidConfiguration" && sentence.includes("argon2id: this platform")) return "argon2-missing"
  return codes[code] ?? (/^[A-Z]/.test(code) ? "config-invalid" : "config-warning")
}

const newSecret = "AUTH_SECRET=<the output of npx --no latchkey secret>"

function findFix(code: FindingCode, { option, sentence }: Examined, live: LiveConfiguration): Fix {
  const { environment } = live
  if (code === "secret-missing") {
    const [file = ".env.local"] = environment.files
    return fixVariable(live, "AUTH_SECRET", `npx --no latchkey secret --write ${file}`)
  }
  if (code === "secret-weak") return findSecretFix(live)
  if (code === "auth-url" || code === "auth-url-scheme" || code === "host-untrusted")
    return fixVariable(live, urlVariable(live), `${urlVariable(live)}=https://${live.base?.host || "app.example"}`)
  if (code === "auth-url-path") return fixVariable(live, urlVariable(live), `${urlVariable(live)}=${live.base?.origin}`)
  const variable = /\b(AUTH_[A-Z\d_]+)\b/.exec(sentence)?.[1]
  if (code === "provider-incomplete" && variable !== undefined)
    return fixVariable(live, variable, `${variable}=<the value that the provider shows for your app>`)
  if (code === "adapter-methods") return fixOption(live, "adapter", "adapter: <one that has what is missing>")
  if (code === "linking-unproven")
    return fixOption(live, "adapter", "adapter: <one with isEmailVerified, such as @latchkey/kysely-adapter>")
  return fixOption(live, option ?? "", option === undefined ? "Change what the sentence names." : `Change ${option}.`)
}

/** The line of the secret that is weak: that of a variable if one sets it, else that of the option. */
function findSecretFix(live: LiveConfiguration): Fix {
  const { variables } = live.environment
  const names = ["AUTH_SECRET", "AUTH_SECRET_1", "AUTH_SECRET_2", "AUTH_SECRET_3", "NEXTAUTH_SECRET"]
  const used = names.filter((name) => live.config?.secrets.includes(variables[name] ?? ""))
  const [name] = used
  if (name === undefined) return fixOption(live, "secret", "Leave secret out, and set AUTH_SECRET.")
  return fixVariable(live, name, newSecret.replace("AUTH_SECRET", name))
}

function urlVariable({ environment: { variables } }: LiveConfiguration): string {
  return !variables["AUTH_URL"] && variables["NEXTAUTH_URL"] ? "NEXTAUTH_URL" : "AUTH_URL"
}

/** Names of this machine. */
const local = /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\]|0\.0\.0\.0)$/

/** Mistakes in AUTH_URL that matter only in production. */
function checkAddress(live: LiveConfiguration): readonly Finding[] {
  const name = urlVariable(live)
  const { variables, places } = live.environment
  const url = URL.parse(variables[name] ?? "")
  if (!url || !/^https?:$/.test(url.protocol)) return []
  const isDevelopment = /\.(?:local|development)$/.test(places[name]?.file ?? "")
  const fix = (text: string) => [fixVariable(live, name, `${name}=${text}`)]
  const path = trimSlashes(url.pathname)
  const doubled = /^((?:\/[^/]+)+)\1$/.exec(path)?.[1]
  const isCallback = /\/callback(?:\/[^/]+)?$/.test(path)
  return [
    ...(local.test(url.hostname)
      ? [
          createFinding("auth-url", {
            severity: isDevelopment ? "warning" : "error",
            sentence: `${name} names this machine (${url.host}), so in production visitors are sent to their own.`,
            fixes: fix("https://app.example"),
            evidence: { host: url.host },
          }),
        ]
      : []),
    ...(doubled === undefined
      ? []
      : [
          createFinding("auth-url-path", {
            sentence: `${name} has the path ${path}, which is ${doubled} twice.`,
            fixes: fix(url.origin),
            evidence: { path },
          }),
        ]),
    ...(isCallback
      ? [
          createFinding("auth-url-path", {
            sentence: `${name} has the path ${path}, which is that of a callback URL, so that the service answers below it alone.`,
            fixes: fix(url.origin),
            evidence: { path },
          }),
        ]
      : []),
  ]
}

/** Files of platforms that say the address themselves, so that variables are set there alone. */
const platformFiles = ["vercel.json", ".vercel/project.json", "wrangler.toml", "wrangler.json", "wrangler.jsonc"]

/** An app in production that trusts no address but those of its own machine, so that it refuses all visitors. */
function checkHost({ base, config, environment, examined }: LiveConfiguration): readonly Finding[] {
  if (!config || config.hasAddress || examined.some(({ code }) => code === "UntrustedHost")) return []
  if (platformFiles.some((file) => readText(join(process.cwd(), file)) !== null)) return []
  const fixes = [
    fixVariable({ environment }, "AUTH_URL", `AUTH_URL=${base?.origin ?? "https://app.example"}`),
    fixVariable(
      { environment },
      "AUTH_TRUST_HOST",
      "AUTH_TRUST_HOST=true, if a proxy replaces Host and X-Forwarded-Host",
    ),
  ]
  const sentence =
    "No address is configured, so the app answers its own machine alone, unless Vercel or Cloudflare Pages runs it."
  return [createFinding("host-untrusted", { severity: "warning", sentence, fixes })]
}

function checkMode(live: LiveConfiguration): readonly Finding[] {
  const mode = live.environment.variables["NODE_ENV"] || "production"
  if (mode !== "development" && mode !== "test") return []
  const sentence = `NODE_ENV is ${mode}, so there are no rate limits, weak secrets are accepted, and pages show details of errors.`
  const fixes = [fixVariable(live, "NODE_ENV", "NODE_ENV=production")]
  return [createFinding("development-mode", { severity: "warning", sentence, fixes, evidence: { NODE_ENV: mode } })]
}

/** NIST SP 800-63B-4 section 3.1.1.2. */
const leastLength = 15

function checkPasswords(live: LiveConfiguration): readonly Finding[] {
  const { passwordLength, needsFactor = false } = live.config ?? {}
  if (passwordLength === undefined || passwordLength >= leastLength || needsFactor) return []
  const sentence = `Passwords may have ${passwordLength} characters, and not every user has a second factor. Without one, ${leastLength} is the least (NIST SP 800-63B-4).`
  const fixes = [
    fixOption(live, "minLength", `minLength: ${leastLength}`),
    fixOption(live, "secondFactors", 'secondFactors: secondFactors({ require: "always" })'),
  ]
  return [createFinding("password-short", { severity: "warning", sentence, fixes, evidence: { passwordLength } })]
}

/** Counters in memory, where the app's files or variables start it in several processes. */
function checkLimiter(live: LiveConfiguration): readonly Finding[] {
  if (!live.config || live.config.rateLimit === false || live.config.rateLimit?.store) return []
  const several = findSeveral(process.cwd(), live)
  if (several === null) return []
  const sentence = `Each process counts attempts for itself, and ${several.sentence}, so that guesses are allowed several times.`
  const fixes = [fixOption(live, "rateLimit", "rateLimit: { store: <a store that all processes share> }")]
  return [createFinding("limiter-memory", { severity: "warning", sentence, fixes, evidence: several.evidence })]
}

interface Several {
  readonly sentence: string
  readonly evidence: Evidence
}

/** Files that say how many processes run, and the text that says more than one. */
const starters: readonly (readonly [file: string, pattern: RegExp])[] = [
  ["ecosystem.config.js", /\binstances\s*:\s*["']?(?!1\b)(?:\d+|max|-1)|exec_mode\s*:\s*["']cluster/],
  ["ecosystem.config.cjs", /\binstances\s*:\s*["']?(?!1\b)(?:\d+|max|-1)|exec_mode\s*:\s*["']cluster/],
  ["package.json", /\bpm2(?:-runtime)?\b[^"]*\s-i\s+(?!1\b)(?:\d+|max)/],
  ["Procfile", /\bpm2(?:-runtime)?\b.*\s-i\s+(?!1\b)(?:\d+|max)/],
  ["compose.yaml", /^[ \t]*(?:replicas|scale)[ \t]*:[ \t]*(?!1\b)\d/m],
  ["compose.yml", /^[ \t]*(?:replicas|scale)[ \t]*:[ \t]*(?!1\b)\d/m],
  ["docker-compose.yml", /^[ \t]*(?:replicas|scale)[ \t]*:[ \t]*(?!1\b)\d/m],
  ["fly.toml", /^[ \t]*min_machines_running[ \t]*=[ \t]*(?![01]\b)\d/m],
]

/** Finds a setting that starts several processes of the app. Null if there is none. */
function findSeveral(folder: string, { environment: { variables } }: LiveConfiguration): Several | null {
  const count = Number(variables["WEB_CONCURRENCY"] ?? variables["INSTANCES"])
  if (count > 1) return { sentence: `WEB_CONCURRENCY starts ${count}`, evidence: { processes: count } }
  const found = starters.find(([file, pattern]) => pattern.test(readText(join(folder, file)) ?? ""))
  return found ? { sentence: `${found[0]} starts several`, evidence: { file: found[0] } } : null
}
