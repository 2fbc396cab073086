import type { Effects, TestHost } from "@latchkey/testkit"
import { type FuzzTarget, fromText, promise, toText } from "../engine/target.js"
import { assertAnswer, assertSignsIn, home, openFuzzHost } from "../service/fuzz-host.js"
import { type Change, linesOf, readChanges, withChange } from "../service/odd-values.js"

const memberPoints = ["metadata", "idTokenClaims", "tokens", "userinfo", "answerClaims"] as const
type MemberPoint = (typeof memberPoints)[number]

/** The effect of one line: `idTokenClaims.sub=1`, `response.token.status=500`, `response.userinfo.body="..."`, `callback.iss="x"`. */
function toEffects({ path, value }: Change): Effects {
  const [point, ...rest] = path
  if (isMemberPoint(point)) {
    // as: members of wrong types are the point of this target
    return { [point]: (members: unknown) => withChange(members, rest, value) as Record<string, unknown> }
  }
  if (point === "jwks") return { jwks: (keys) => withChange(keys, rest, value) as typeof keys } // as above
  if (point === "callback") return { authorizationAnswer: (answer) => withParameter(answer, rest[0] ?? "x", value) }
  if (point === "response")
    return { response: (answer, { endpoint }) => (rest[0] === endpoint ? change(answer, rest[1], value) : answer) }
  return {}
}

function isMemberPoint(text: string | undefined): text is MemberPoint {
  return memberPoints.some((point) => point === text)
}

type Answer = Parameters<NonNullable<Effects["authorizationAnswer"]>>[0]

function withParameter(answer: Answer, name: string, value: unknown): Answer {
  const params = new URLSearchParams(answer.params)
  if (value === null) params.delete(name)
  else params.append(name, typeof value === "object" ? Object.prototype.toString.call(value) : String(value))
  return { ...answer, params }
}

async function change(answer: Response, what: string | undefined, value: unknown): Promise<Response> {
  const { status, headers } = answer
  const body = await answer.text()
  if (what === "body" && typeof value === "string") return new Response(value, { status, headers })
  if (what === "status" && typeof value === "number" && value >= 200 && value <= 599) {
    return new Response([204, 205, 304].includes(value) ? null : body, { status: Math.floor(value), headers })
  }
  if (what === "type" && typeof value === "string") {
    return new Response(body, { status, headers: { "content-type": value.replace(/[^ -~]/g, "") } })
  }
  if (what === "cut") return new Response(body.slice(0, Number(value) || 0), { status, headers })
  return new Response(body, { status, headers })
}

const seeds = [
  'idTokenClaims.sub=1\nidTokenClaims.email="v@corp.test"',
  'idTokenClaims.aud=["rp","other"]\nidTokenClaims.azp="rp"',
  'idTokenClaims.exp="soon"\nidTokenClaims.iat=1e308\nidTokenClaims.nonce=null',
  'tokens.expires_in="-5"\ntokens.token_type="BEARER"\ntokens.__proto__={"polluted":true}',
  'tokens.id_token="a.b.c"\ntokens.access_token=null\ntokens.scope=["a"]',
  'userinfo.sub="other"\nuserinfo.name={"first":"A"}',
  'userinfo.sub=""',
  "userinfo.sub=0",
  "userinfo.sub=null",
  "userinfo.sub={}",
  'metadata.issuer="https://evil.test"\nmetadata.token_endpoint="http://169.254.169.254/"',
  'metadata.jwks_uri="file:///etc/passwd"\nmetadata.id_token_signing_alg_values_supported="none"',
  'jwks.0.kty="oct"\njwks.0.alg="HS256"\njwks.0.n=null',
  'callback.iss="https://evil.test"\ncallback.code="again"\ncallback.state=null',
  'response.token.body="[]"\nresponse.token.status=200',
  'response.userinfo.cut=10\nresponse.jwks.type="text/html"',
  'response.discovery.status=302\nresponse.userinfo.body="{\\"sub\\":\\"ada\\"}"',
]

const claimNames = [
  "sub",
  "iss",
  "aud",
  "exp",
  "iat",
  "nbf",
  "nonce",
  "azp",
  "at_hash",
  "email",
  "email_verified",
  "name",
  "picture",
  "auth_time",
  "__proto__",
]
const tokenNames = [
  "access_token",
  "token_type",
  "expires_in",
  "expires_at",
  "id_token",
  "refresh_token",
  "scope",
  "error",
  "__proto__",
]
const documentNames = [
  "issuer",
  "authorization_endpoint",
  "token_endpoint",
  "userinfo_endpoint",
  "jwks_uri",
  "id_token_signing_alg_values_supported",
]
const endpoints = ["discovery", "jwks", "token", "userinfo"]
const paths = [
  ...claimNames.flatMap((name) => [`idTokenClaims.${name}`, `userinfo.${name}`]),
  ...tokenNames.map((name) => `tokens.${name}`),
  ...[...documentNames, "authorization_response_iss_parameter_supported", "__proto__"].map(
    (name) => `metadata.${name}`,
  ),
  ...["kty", "alg", "use", "n", "e", "kid", "key_ops"].map((name) => `jwks.0.${name}`),
  ...["code", "state", "iss", "error", "error_description", "response", "id_token"].map((name) => `callback.${name}`),
  ...endpoints.flatMap((endpoint) => ["status", "body", "type", "cut"].map((what) => `response.${endpoint}.${what}`)),
]

const values = [
  "null",
  "true",
  "0",
  "-1",
  "1",
  "5",
  "200",
  "201",
  "302",
  "401",
  "500",
  "1e308",
  "[]",
  "{}",
  '""',
  '"rp"',
  '["rp"]',
  '"https://evil.test"',
  '"http://127.0.0.1/"',
  '"\\u0000\\r\\n"',
  '"[]"',
  '"null"',
  '"{}"',
  '"<html>"',
  '"none"',
  '"HS256"',
  '"text/html"',
  '"false"',
  '{"first":"A"}',
]

/** A complete sign-in at a provider with broken documents, tokens and responses. */
export const providerAnswers: FuzzTarget = {
  name: "provider-answers",
  seeds: () => seeds.map(fromText),
  dictionary: linesOf(paths, values),
  maxLength: 1_500,
  work: { perByte: 500, perInput: 2_000_000 },
  async check(input) {
    const changes = readChanges(toText(input))
    for (const id of ["oidc", "oauth"]) await assertSignIn(id, changes)
  },
}

async function assertSignIn(id: string, changes: readonly Change[]): Promise<void> {
  const host = openFuzzHost()
  host.idp.faults.turnOn(...changes.map(toEffects))
  const isSignedIn = await signInAt(id, host)
  promise(isSignedIn || changes.length > 0, "an unchanged provider signs in")
  promise(host.idp.requests.token.length <= 1, "a code is sent once")
  for (const { url } of host.idp.requests.elsewhere)
    promise(url.protocol === "https:", "requests to providers use https")
  host.idp.faults.clear()
  await assertSignsIn(host)
}

const brokenIds = /^(?:|0|null|undefined|NaN|true|false|\[object .*\])$/

/** Follows the flow step by step, so that each response of the service is checked. */
async function signInAt(id: string, host: TestHost): Promise<boolean> {
  const browser = host.newBrowser()
  const csrfToken = await browser.csrfToken()
  const form = { method: "POST", body: new URLSearchParams({ csrfToken }) }
  const begun = await browser.fetch(`/auth/signin/${id}`, form)
  await assertAnswer(begun.clone(), { host, isAllowedTarget: ({ protocol }) => protocol === "https:" })
  const target = new URL(begun.headers.get("location") ?? home)
  if (target.origin !== host.idp.origin || target.pathname !== "/authorize") return false
  const sent = await host.idp.handler(new Request(target))
  const back = URL.parse(sent.headers.get("location") ?? "")
  if (back?.origin !== home) return false
  const answer = await browser.fetch(back.href)
  await assertAnswer(answer.clone(), { host })
  const session = await browser.session()
  const [told] = host.events.of("signIn")
  promise((session === null) === (told === undefined), "a session exists exactly if a sign-in event was sent")
  if (told) {
    const { account } = told
    promise(
      typeof account?.providerAccountId === "string" && account.providerAccountId !== "",
      "an account has a stable id",
    )
    promise(!brokenIds.test(account.providerAccountId), "an account's id is not the text of a missing value")
    promise(!Object.hasOwn(account ?? {}, "__proto__"), "an account has no field __proto__")
  }
  host.events.clear()
  return session !== null
}
