import { askProvider, type ProviderVerdict } from "@latchkey/core/diagnosis"
import { clientPatterns } from "./authorization-checks.js"
import { createFinding, type Evidence, type Examination, type Finding, type Fix, type Unchecked } from "./finding.js"
import { fixOption, fixVariable, type LiveConfiguration } from "./live-configuration.js"

/** More would take long, and make a provider suspicious. */
const maxProviders = 10

/** As far as clocks may differ. Core allows the tokens of a provider this much. */
const maxClockSeconds = 30

interface Asked {
  readonly id: string
  readonly verdict: ProviderVerdict
}

/** Asks the OAuth providers about this app: discovery, issuer, and the client with a made-up code. */
export async function checkProviders(live: LiveConfiguration): Promise<Examination> {
  const { providers = [], basePath = "/auth" } = live.config ?? {}
  const base = live.base ? `${live.base.origin}${basePath}` : `https://localhost${basePath}`
  const answers = await Promise.all(
    providers.map(async ({ id }, n): Promise<readonly Asked[]> => {
      const provider = providers[n]
      if (!provider || n >= maxProviders) return []
      const verdict = await askProvider(provider, `${base}/callback/${id}`)
      return verdict ? [{ id, verdict }] : []
    }),
  )
  const asked = answers.flat()
  return {
    findings: [...asked.flatMap((each) => toFindings(each, live)), ...checkClock(asked)],
    unchecked: asked.flatMap(toUnchecked),
  }
}

function toFindings({ id, verdict }: Asked, live: LiveConfiguration): readonly Finding[] {
  const { reason, endpoint, status, error, acceptedMethod, sentence } = verdict
  const evidence: Evidence = {
    provider: id,
    ...(endpoint !== undefined && { endpoint }),
    ...(status !== undefined && { status }),
    ...(error !== undefined && { error }),
  }
  const details = { sentence: sentence.endsWith(".") ? sentence : `${sentence}.`, evidence }
  const path = `providers.${id}`
  if (reason === "provider-unreachable") {
    const text =
      "Let the server reach the provider. Behind an outbound proxy: NODE_USE_ENV_PROXY=1 and HTTPS_PROXY=<its URL>"
    return [createFinding("provider-unreachable", { ...details, fixes: [{ where: "environment", text }] })]
  }
  if (reason === "token-issuer" || (endpoint === "discovery" && reason !== undefined))
    return [createFinding("issuer", { ...details, fixes: [fixCredential(live, id, "issuer")] })]
  if (acceptedMethod !== undefined) {
    const text = `client: { token_endpoint_auth_method: "${acceptedMethod}" }`
    return [createFinding("client-auth-method", { ...details, fixes: [fixOption(live, path, text)] })]
  }
  return reason === "client-rejected" ? [toRejected({ id, verdict }, details, live)] : []
}

/** The client ID or the secret, if the provider tells which of them is wrong; otherwise both. */
function toRejected(
  { id, verdict: { description = "" } }: Asked,
  details: { readonly sentence: string; readonly evidence: Evidence },
  live: LiveConfiguration,
): Finding {
  const expired = /expired/i.test(description) ? "<a new one: the provider says that this one has expired>" : undefined
  const [secret, client] = [fixCredential(live, id, "clientSecret", expired), fixCredential(live, id, "clientId")]
  // Tenants and realms have clients of their own.
  const tenants = hasIssuer(live, id)
    ? [fixCredential(live, id, "issuer", "<that of the tenant that has the client>")]
    : []
  const isEither = eitherOfThem.test(description)
  if (!isEither && wrongSecret.test(description)) return createFinding("client-secret", { ...details, fixes: [secret] })
  if (!isEither && clientPatterns.test(description))
    return createFinding("client-id", { ...details, fixes: [client, ...tenants] })
  const sentence = `${details.sentence} The provider does not say which of them is wrong.`
  return createFinding("client-secret", { ...details, sentence, fixes: [secret, client, ...tenants] })
}

/** RFC 6749 leaves the text open. Microsoft adds codes. */
const wrongSecret = /secret|AADSTS70002(?:15|22)/i
const eitherOfThem = /\bor\b|credential|authentication/i

const suffixes = { clientId: "ID", clientSecret: "SECRET", issuer: "ISSUER" } as const

const toVariable = (id: string, option: keyof typeof suffixes) =>
  `AUTH_${id.toUpperCase().replaceAll("-", "_")}_${suffixes[option]}`

/** Whether the app says which issuer it means. Most providers have one only. */
function hasIssuer({ environment, text }: LiveConfiguration, id: string): boolean {
  return environment.variables[toVariable(id, "issuer")] !== undefined || /\bissuer\s*:/.test(text)
}

/** The variable of an option if it is set, else the option. */
function fixCredential(
  live: LiveConfiguration,
  id: string,
  option: keyof typeof suffixes,
  value = `<as the provider shows it${option === "issuer" ? ", to the letter" : ""}>`,
): Fix {
  const variable = toVariable(id, option)
  const isSet = live.environment.variables[variable] !== undefined
  return isSet
    ? fixVariable(live, variable, `${variable}=${value}`)
    : fixOption(live, `providers.${id}.${option}`, `${option}: ${value}`)
}

/** An answer that says nothing about the client. */
function toUnchecked({ id, verdict: { reason, endpoint, status, error } }: Asked): readonly Unchecked[] {
  if (reason !== "provider-answer" || endpoint !== "token" || error !== undefined) return []
  const answer = status === undefined ? "an answer that is not OAuth" : `status ${status}`
  return [{ code: "client-secret", reason: `The provider ${id} refused a made-up code with ${answer}.` }]
}

/** Two providers that agree, or the only one. */
function checkClock(asked: readonly Asked[]): readonly Finding[] {
  const told = asked.flatMap(({ verdict: { aheadSeconds } }) => (aheadSeconds === undefined ? [] : [aheadSeconds]))
  const [least] = told.toSorted((one, other) => Math.abs(one) - Math.abs(other))
  if (least === undefined || Math.abs(least) <= maxClockSeconds) return []
  const direction = least > 0 ? "behind" : "ahead of"
  const sentence = `The clock of this machine is ${Math.abs(least)} seconds ${direction} that of the providers, so their tokens are refused.`
  const fixes = [{ where: "environment" as const, text: "Synchronize the clock: timedatectl set-ntp true" }]
  return [createFinding("clock", { sentence, fixes, evidence: { seconds: least } })]
}
