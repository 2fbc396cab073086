import { createFinding, type Examination, type Finding, type Unchecked } from "./finding.js"
import { describeChanged, describeMerged } from "./form-checks.js"
import { describeClock } from "./session-checks.js"
import { type Answer, isPrivateHost, type Site } from "./site.js"
import { type FormToken, type ListedProvider, parseObject, readFormToken } from "./site-answers.js"

const maxProviders = 10

/** Begins a sign-in at each OAuth provider, and reads the provider's first answer. No sign-in is completed. */
export async function checkProviders(site: Site, listed: readonly ListedProvider[]): Promise<Examination> {
  const providers = listed.filter(({ type }) => type === "oauth" || type === "oidc")
  const token = providers.length === 0 ? null : await readFormToken(site)
  if (!token) return { findings: [], unchecked: [] }
  const findings: Finding[] = []
  const unchecked: Unchecked[] = []
  for (const [index, { id, callbackUrl }] of providers.slice(0, maxProviders).entries()) {
    const found = await checkProvider(site, id, { ...token, callbackUrl, isFirst: index === 0 })
    findings.push(...found.findings)
    unchecked.push(...found.unchecked)
  }
  if (providers.length > maxProviders)
    unchecked.push({ code: "redirect-uri", reason: `${providers.length - maxProviders} more providers.` })
  return { findings, unchecked }
}

interface Start extends FormToken {
  readonly callbackUrl: string
  /** Whether no other provider was asked before. What a proxy does to one, it does to all. */
  readonly isFirst: boolean
}

async function checkProvider(site: Site, id: string, start: Start): Promise<Examination> {
  const { csrfToken, cookies, callbackUrl, isFirst } = start
  const { origin } = site.url
  const begin = (isScript: boolean) =>
    site.ask(`signin/${encodeURIComponent(id)}`, {
      form: { csrfToken, callbackUrl: origin, ...(isScript && { json: "true" }) },
      headers: { origin, ...(isScript && { "x-auth-return-redirect": "1" }) },
      cookies,
    })
  const answer = await begin(false)
  const clock = readClock(answer)
  const seen = [
    ...describeMerged(answer.setCookies),
    ...describeStrict(answer.setCookies),
    ...(clock === null ? [] : describeClock(clock, answer.receivedAt, "the cookies of a sign-in")),
  ]
  const target = findTarget(answer, site.url)
  if (!(target instanceof URL) && answer.status === 502)
    return { findings: [...seen, describeTooLarge(id, answer.status)], unchecked: [] }
  if (!(target instanceof URL)) return { findings: [...seen, describeStart(id, target, answer)], unchecked: [] }
  // A provider may be at the origin of the app. Scripts read the address from a body, where no proxy changes it.
  const told = isFirst && target.origin === origin ? findTarget(await begin(true), site.url) : target
  if (told instanceof URL && told.origin !== target.origin)
    return { findings: [...seen, describeShortened(id, told.origin)], unchecked: [] }
  if (target.protocol !== "https:" && !isPrivateHost(target.hostname)) {
    const reason = `${id}: the address of the provider begins with http://, and was not opened.`
    return { findings: seen, unchecked: [{ code: "redirect-uri", reason }] }
  }
  try {
    const found = readAnswer(id, await site.askProvider(target), target.searchParams.get("redirect_uri") ?? callbackUrl)
    return { findings: found ? [...seen, found] : seen, unchecked: [] }
  } catch (error) {
    const reason = `${id}: ${error instanceof Error ? error.message : "no answer."}`
    return { findings: seen, unchecked: [{ code: "redirect-uri", reason }] }
  }
}

/** Browsers keep such a cookie back when they return from the provider. */
function describeStrict(setCookies: readonly string[]): readonly Finding[] {
  const strict = setCookies.find((each) => /^[^=]*\b(?:state|pkce|nonce)\b[^=]*=.*;\s*samesite=strict/i.test(each))
  const [name = ""] = strict?.split("=", 1) ?? []
  if (strict === undefined) return []
  const sentence = `The cookie ${name} arrives with SameSite=Strict, so that no sign-in comes back from a provider.`
  return [describeChanged(sentence, { cookie: name })]
}

/** The address of the provider, or the error that the site shows in its place. */
function findTarget({ status, text, headers: { location } }: Answer, url: URL): URL | string {
  if (status === 429) return "TooManyRequests"
  const given = location ?? parseObject(text)?.["url"]
  const target = typeof given === "string" ? URL.parse(given, url.origin) : null
  if (status >= 400 || !target || !/^https?:$/.test(target.protocol)) return `status ${status}`
  const error = target.searchParams.get("error")
  const isOwn = target.origin === url.origin && `${target.pathname}/`.startsWith(`${url.pathname}/`)
  return error !== null || isOwn ? (error ?? "no address of the provider") : target
}

/** The site answers everything else. The start of a sign-in has the longest headers: a URL and the cookies of the flow. */
function describeTooLarge(id: string, status: number): Finding {
  return createFinding("response-headers", {
    sentence: `The answer that begins a sign-in with ${id} does not arrive (${status}), and shorter ones do: the proxy refuses its headers, or the app stopped.`,
    fixes: [
      { where: "proxy", text: "proxy_buffer_size 32k; proxy_buffers 8 32k;" },
      { where: "code", text: "The error log of the proxy has the reason, such as: upstream sent too big header." },
    ],
    evidence: { provider: id, status },
  })
}

/** The app names the provider, and another address arrives. */
function describeShortened(id: string, provider: string): Finding {
  return createFinding("provider-start", {
    sentence: `Sign-in with ${id} leads to the site itself in place of ${provider}: something in between changes the addresses of redirects.`,
    fixes: [{ where: "proxy", text: "proxy_redirect off; and no other rule that changes the header Location" }],
    evidence: { provider: id, error: "redirect changed" },
  })
}

function describeStart(id: string, error: string, { setCookies }: Answer): Finding {
  const reference = setCookies
    .map((each) => /authjs\.error-reference=([0-9A-Z]{4}-[0-9A-Z]{2})/.exec(each)?.[1])
    .find(Boolean)
  const name = id.toUpperCase().replace(/[^A-Z0-9]/g, "_")
  const log =
    reference === undefined ? "The server log has the reason." : `npx --no latchkey explain ${reference} --file <log>`
  return createFinding("provider-start", {
    severity: error === "TooManyRequests" ? "warning" : "error",
    sentence:
      error === "TooManyRequests"
        ? `Sign-in with ${id} was not tried: the site limits requests.`
        : `Sign-in with ${id} does not begin: the site answers with an error (${error}).`,
    fixes: [
      { where: "code", text: log },
      {
        where: "environment",
        text: `AUTH_${name}_ID, AUTH_${name}_SECRET and AUTH_${name}_ISSUER: compare them with the provider`,
      },
    ],
    evidence: { provider: id, error, ...(reference !== undefined && { reference }) },
  })
}

const redirectPatterns =
  /redirect[_ ]?uri[_ ]?mismatch|invalid[_ ]redirect[_ ]?uri|AADSTS50011|redirect[_ ]ur[il]\b.{0,60}(?:did not match|does not match|not match|is not (?:allowed|registered|valid|associated|whitelisted)|must match|invalid|mismatch)|invalid (?:parameter: )?redirect|mismatching redirect|callback url mismatch/i
/** What providers say of a client that they do not know. */
export const clientPatterns: RegExp =
  /invalid_client|unauthorized_client|AADSTS700016|client is invalid|client[_ ](?:id )?(?:(?:was )?not found|.{0,40}(?:does not exist|is not valid|unknown))|unknown client|invalid client|deleted_client|app(?:lication)? (?:with .{0,60} )?(?:was )?not found/i

/** What the provider says about the client. Null if it goes on. */
function readAnswer(id: string, answer: Answer, redirectUri: string): Finding | null {
  const said = toSaidText(answer)
  const evidence = { provider: id, status: answer.status }
  if (redirectPatterns.test(said))
    return createFinding("redirect-uri", {
      sentence: `${id} refuses the callback URL: it is not registered there.`,
      fixes: [{ where: "provider", text: `Register ${redirectUri}` }],
      evidence: { ...evidence, redirectUri },
    })
  if (!clientPatterns.test(said) && answer.status !== 404) return null
  const name = id.toUpperCase().replace(/[^A-Z0-9]/g, "_")
  return createFinding("client-id", {
    sentence: clientPatterns.test(said)
      ? `${id} does not know the client id of the app.`
      : `${id} answers 404: it does not know the client id of the app, or the address of its authorization endpoint is wrong.`,
    fixes: [
      { where: "environment", text: `AUTH_${name}_ID=<the client id that the provider shows>` },
      { where: "config", text: "The issuer, tenant or realm of the provider, if the client belongs to another." },
    ],
    evidence,
  })
}

/**
 * What an answer says about an error: its text; the address of a redirect, which some providers encode; and of a page that
 * succeeds the codes alone, because its scripts contain all messages.
 */
function toSaidText({ status, text, headers: { location = "" } }: Answer): string {
  if (status >= 400) return text
  if (status >= 300) {
    const encoded = URL.parse(location, "https://provider.invalid")?.searchParams.get("authError") ?? ""
    return `${decodeURIComponentSafely(location)} ${Buffer.from(encoded, "base64url").toString("utf8")}`
  }
  return (text.match(/AADSTS\d+/g) ?? []).join(" ")
}

function decodeURIComponentSafely(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "))
  } catch {
    return text // Malformed, as providers may write it.
  }
}

/** The app's time: the id of a flow of Latchkey begins with it, and cookies of Auth.js tell when they expire. */
function readClock({ setCookies }: Answer): number | null {
  for (const each of setCookies) {
    const [, time] = /^[^=;]*\.([0-9a-z]{9})[0-9A-Za-z_-]{10}=/.exec(each) ?? []
    if (time !== undefined) return Number.parseInt(time, 36)
    const [, maxAge] = /;\s*max-age=(\d+)/i.exec(each) ?? []
    const [, expires] = /;\s*expires=([^;]+)/i.exec(each) ?? []
    if (maxAge !== undefined && expires !== undefined && Number(maxAge) > 0)
      return Date.parse(expires) - Number(maxAge) * 1000
  }
  return null
}
