import Passkey from "@latchkey/core/providers/passkey"
import { findLeaks, type TestHost, type TestHostOptions, testEmail, testHost } from "@latchkey/testkit"
import { promise } from "../engine/target.js"

export const home = "https://app.test"
export const sessionCookie = "__Secure-authjs.session-token"
/** Shared by all hosts of a run, so that each opens what another sealed. */
export const secret = "4f1c9f6a0be14d2f9d2f7d9f3c1b8a7e6d5c4b3a29181706f5e4d3c2b1a09f8e"
/** Too long for the fuzzer to guess. */
export const password = "right-9b1f3c7d5e8a4062b7c1d9e3f5a70842"

export type HostChanges = Omit<TestHostOptions, "providers"> & { readonly skipPasskey?: boolean }

/** A service with a provider of every type, and without rate limits, because the fuzzer sends thousands of requests. */
export function openFuzzHost(changes: HostChanges = {}): TestHost {
  const host = testHost({
    secret,
    rateLimit: false,
    session: { strategy: "jwt" },
    providers: ({ idp }) => [
      idp.provider(),
      idp.oauthProvider(),
      testEmail(),
      {
        id: "cred",
        name: "Password",
        type: "credentials",
        credentials: { u: { label: "User" }, p: { label: "Password", type: "password" } },
        authorize: ({ u, p }) => (u === "v" && p === password ? { id: "u-v", name: "V", email: "v@corp.test" } : null),
      },
      Passkey({}),
    ],
    ...changes,
  })
  host.canaries.watch("the password", password)
  return host
}

/** The statuses of the contract. 503: an emailed link that is prefetched is not consumed. */
const statuses: ReadonlySet<number> = new Set([200, 302, 303, 400, 403, 404, 405, 413, 414, 415, 429, 431, 503])

export interface Expectations {
  readonly host: TestHost
  /** Whether a broken configuration or store may cause status 500. Default: false. */
  readonly mayFail?: boolean
  /** Allowed redirect targets besides this origin. Default: the authorization endpoint of the identity provider. */
  readonly isAllowedTarget?: (url: URL) => boolean
  /** Whether it answers a HEAD request. Default: false. */
  readonly isHead?: boolean
}

/** Checks that hold for every response and for the log. */
export async function assertAnswer(
  response: Response,
  { host, mayFail = false, isAllowedTarget, isHead }: Expectations,
): Promise<void> {
  const text = await response.text()
  promise(
    statuses.has(response.status) || (mayFail && response.status === 500),
    `status ${response.status} is in the contract`,
  )
  promise(text.length < 256 * 1024, "a response is short")
  for (const [name, value] of response.headers)
    promise(/^[\x20-\x7e]*$/.test(value), `the header ${name} is plain ASCII`)
  promise(
    response.headers.get("x-content-type-options") === "nosniff",
    "a response has X-Content-Type-Options: nosniff",
  )
  promise(response.headers.getSetCookie().length <= 64, "few cookies are set")
  for (const target of targetsOf(response, text)) {
    const url = URL.parse(target, `${home}/auth/x`)
    promise(url !== null, "a redirect has a valid URL")
    promise(url.origin === home || (isAllowedTarget ?? isAuthorization)(url), "a redirect leads to an allowed origin")
  }
  if (response.headers.get("content-type")?.startsWith("text/html")) assertPage(response, text, isHead)
  assertSecret(host, text)
}

function targetsOf(response: Response, text: string): readonly string[] {
  const location = response.headers.get("location")
  if (location !== null) return [location]
  if (response.headers.get("content-type") !== "application/json" || !text.startsWith('{"url":')) return []
  return [String(Reflect.get(Object(JSON.parse(text)), "url"))]
}

function isAuthorization({ origin, pathname, searchParams }: URL): boolean {
  const back = searchParams.get("redirect_uri")
  return (
    origin === "https://idp.test" && pathname === "/authorize" && back?.startsWith(`${home}/auth/callback/`) === true
  )
}

function assertPage(response: Response, text: string, isHead = false): void {
  const policy = response.headers.get("content-security-policy") ?? ""
  promise(policy.includes("default-src 'none'") && !policy.includes("unsafe"), "a page has a strict policy")
  promise(
    !/<script(?![^>]* src="(?:https:\/\/app\.test)?\/auth\/)/i.test(text),
    "a page has only the scripts of the service",
  )
  promise(!/<[^>]*\son[a-z]+\s*=/i.test(text), "a page has no event handler attributes")
  promise(!/(?:href|action|src)="\s*(?:javascript|data|vbscript):/i.test(text), "a page has no URL that runs a script")
  promise(isHead ? text === "" : /<\/html>\s*$/.test(text), "a page is complete, and the answer to HEAD is empty")
}

function assertSecret(host: TestHost, text: string): void {
  const issued = host.idp.issued
  const [leak] = findLeaks([...host.logger.texts(), text], [...host.canaries.all, ...issued])
  promise(leak === undefined, `a secret does not leak: ${leak?.canary} (${leak?.form})`)
  host.logger.clear()
}

/** Signs in with the right password, which must still work. */
export async function assertSignsIn(host: TestHost, browser = host.newBrowser()): Promise<void> {
  await browser.signIn("cred", { u: "v", p: password, callbackUrl: "/in" })
  const session = await browser.session()
  promise(session?.user?.name === "V", "the password signs in afterwards")
  await browser.signOut()
  promise((await browser.session()) === null, "signing out works afterwards")
}
