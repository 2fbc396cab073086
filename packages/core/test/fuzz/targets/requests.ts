import type { TestHost } from "@latchkey/testkit"
import { tokens } from "../../../src/crypto/jwt.js"
import { type FuzzTarget, promise } from "../engine/target.js"
import { assertAnswer, assertSignsIn, home, openFuzzHost, secret, sessionCookie } from "../service/fuzz-host.js"
import { readRequest, writeRequest } from "../service/raw-request.js"

const form = { "content-type": "application/x-www-form-urlencoded", origin: home, "sec-fetch-site": "same-origin" }

/** The cookies of a browser that has opened a form, started flows and requested passkey options. */
async function prepare(
  host: TestHost,
): Promise<{ readonly cookie: string; readonly csrfToken: string; readonly state: string }> {
  const browser = host.newBrowser()
  const csrfToken = await browser.csrfToken()
  const begin = (id: string) =>
    browser.fetch(`/auth/signin/${id}`, { method: "POST", body: new URLSearchParams({ csrfToken }) })
  const answer = await begin("oidc")
  await browser.fetch("/auth/webauthn-options/passkey?action=authenticate")
  const cookie = browser.cookies
    .list()
    .map(({ name, value }) => `${name}=${value}`)
    .join("; ")
  const state = new URL(answer.headers.get("location") ?? home).searchParams.get("state") ?? ""
  return { cookie, csrfToken, state }
}

async function seeds(session = ""): Promise<readonly Uint8Array[]> {
  const { cookie: own, csrfToken, state } = await prepare(openFuzzHost())
  const cookie = session === "" ? own : `${own}; ${session}`
  const get = (path: string) => writeRequest({ method: "GET", path, headers: { cookie } })
  const post = (path: string, body: string, headers: Record<string, string> = form) =>
    writeRequest({ method: "POST", path, headers: { cookie, ...headers }, body: `csrfToken=${csrfToken}&${body}` })
  const json = { ...form, "content-type": "application/json", "x-auth-return-redirect": "1" }
  const asJson = (path: string, value: object) =>
    writeRequest({ method: "POST", path, headers: { cookie, ...json }, body: JSON.stringify({ csrfToken, ...value }) })
  return [
    get("/auth/session"),
    get("/auth/csrf"),
    get("/auth/providers"),
    get("/auth/signin?callbackUrl=/in&error=OAuthSignin"),
    get("/auth/signout"),
    get("/auth/error?error=Verification"),
    get("/auth/verify-request?provider=email&type=email"),
    get(`/auth/callback/oidc?code=guess&state=${state}&iss=https://idp.test`),
    get(`/auth/callback/oidc?error=access_denied&state=${state}`),
    get("/auth/callback/email?token=guess&email=v@corp.test&callbackUrl=/in"),
    get("/auth/webauthn-options/passkey?action=register&email=v@corp.test"),
    get("/auth/style.css"),
    post("/auth/signin/oidc?prompt=login", "callbackUrl=/in"),
    post("/auth/signin/email", "email=v@corp.test&callbackUrl=/in"),
    post("/auth/signin/oauth", "json=true", { ...form, "x-auth-return-redirect": "1" }),
    post("/auth/callback/cred", "u=v&p=wrong&callbackUrl=/in"),
    post("/auth/signout", "callbackUrl=/out"),
    post("/auth/session", "data=1"),
    asJson("/auth/session", { data: { role: "admin", sub: "u-w" } }),
    asJson("/auth/callback/cred", { u: "v", p: "wrong" }),
    post(
      "/auth/callback/passkey",
      `action=authenticate&data=${encodeURIComponent('{"id":"AA","rawId":"AA","type":"public-key","response":{"clientDataJSON":"e30","authenticatorData":"AA","signature":"AA"}}')}`,
    ),
    writeRequest({ method: "OPTIONS", path: "/auth/session", headers: { ...form, origin: "https://evil.test" } }),
    post("/auth/signin/email", "email=v@corp.test", { ...form, "x-fuzz-body": "broken" }),
  ]
}

const dictionary = [
  "GET ",
  "POST ",
  "HEAD ",
  "PUT ",
  "OPTIONS ",
  "/auth/",
  "signin",
  "signout",
  "callback/",
  "session",
  "csrf",
  "error",
  "/oidc",
  "/oauth",
  "/email",
  "/cred",
  "/passkey",
  "\ncookie: ",
  "\norigin: null",
  "\norigin: https://evil.test",
  "\nsec-fetch-site: cross-site",
  "\nhost: evil.test",
  "\nx-forwarded-host: evil.test",
  "\nx-auth-return-redirect: 1",
  "\ncontent-type: application/json",
  "\ncontent-type: text/plain",
  "\ncontent-length: 9",
  "\nauthorization: Bearer ",
  "\nsec-purpose: prefetch",
  "\naccept-language: ",
  "\nx-request-id: ",
  "\nforwarded: for=",
  "\ntransfer-encoding: chunked",
  "callbackUrl=",
  "https://evil.test",
  "//evil.test",
  "/\\evil.test",
  "javascript:alert(1)",
  "%0d%0aset-cookie:a=b",
  "<script>alert(1)</script>",
  '"><img src=x onerror=1>',
  "__proto__",
  "constructor",
  "[]",
  "%00",
  "%C3%28",
  "\u00e9",
  "&",
  "=",
  "?",
  "#",
  ";",
  "csrfToken=",
  "state=",
  "code=",
  "error=",
  "email=",
  "action=",
  "{",
  "}",
  "null",
] as const

/** Hosts record their responses, so they are replaced regularly. */
const inputsPerHost = 256
const inputsPerSignIn = 16

interface Stage {
  readonly host: TestHost
  inputs: number
}

function createStage(): () => Stage {
  let stage: Stage | undefined
  return () => {
    if (!stage || stage.inputs >= inputsPerHost) stage = { host: openFuzzHost(), inputs: 0 }
    stage.inputs += 1
    return stage
  }
}

/** A browser with the cookies of the service that a request sent. */
function browserWith(host: TestHost, request: Request): ReturnType<TestHost["newBrowser"]> {
  const browser = host.newBrowser()
  for (const pair of request.headers.get("cookie")?.split("; ").slice(0, 20) ?? []) {
    const [name = "", value = ""] = pair.split("=")
    if (/^__(?:Secure|Host)-authjs\.[\w.-]+$/.test(name) && /^[\w.%|~-]{0,3000}$/.test(value))
      browser.cookies.set(name, value)
  }
  return browser
}

async function ask(host: TestHost, request: Request): Promise<Response> {
  const response = await host.handler(request.clone())
  await assertAnswer(response.clone(), { host, mayFail: hasBadParameter(request), isHead: request.method === "HEAD" })
  return response
}

/** The one request error that the contract reports as a configuration error. */
function hasBadParameter({ url }: Request): boolean {
  const given = new URL(url).searchParams.get("callbackUrl") ?? ""
  return given !== "" && !given.startsWith("/") && !/^https?:$/.test(URL.parse(given)?.protocol ?? "")
}

const nextStranger = createStage()

/** Requests of an anonymous visitor without a password, a code or an emailed token. */
export const requests: FuzzTarget = {
  name: "requests",
  seeds: () => seeds(),
  dictionary,
  maxLength: 6_000,
  work: { perByte: 200, perInput: 100_000 },
  async check(input) {
    const request = readRequest(input, home)
    if (!request?.url.startsWith(`${home}/auth/`)) return
    const { host, inputs } = nextStranger()
    const response = await ask(host, request)
    for (const cookie of response.headers.getSetCookie()) {
      promise(!cookie.startsWith(sessionCookie) || /^[^=]+=;/.test(cookie), "a session needs a proof")
    }
    promise(host.events.names().length === 0 || inputs % inputsPerSignIn === 0, "no event is sent")
    if (inputs % inputsPerSignIn === 0) await assertSignsIn(host, browserWith(host, request))
    host.events.clear()
  },
}

const nextUser = createStage()

/** The same requests from a visitor who is signed in as V. */
export const userRequests: FuzzTarget = {
  name: "user-requests",
  async seeds() {
    const token = await tokens.encode({
      token: { sub: "u-v", name: "V", email: "v@corp.test" },
      secret,
      salt: sessionCookie,
    })
    return seeds(`${sessionCookie}=${token}`)
  },
  dictionary,
  maxLength: 8_000,
  work: { perByte: 200, perInput: 100_000 },
  async check(input) {
    const request = readRequest(input, home)
    if (!request?.url.startsWith(`${home}/auth/`)) return
    const { host } = nextUser()
    const response = await ask(host, request)
    for (const cookie of response.headers.getSetCookie().filter((each) => each.startsWith(`${sessionCookie}=`))) {
      const token = cookie.slice(sessionCookie.length + 1).split(";", 1)[0] ?? ""
      if (token === "") continue
      const claims = await tokens.open({ token, secret, salt: sessionCookie })
      promise(claims?.sub === "u-v" && claims.name === "V" && !("role" in claims), "a session keeps its user")
    }
    const told = host.events.names().filter((name) => name !== "session" && name !== "signOut")
    promise(told.length === 0, "no event except a sign-out is sent")
    host.events.clear()
  },
}
