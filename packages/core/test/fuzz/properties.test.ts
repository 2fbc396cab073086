import fc from "fast-check"
import { describe, it } from "vitest"
import { anyCharacter } from "../setup/any-character.js"
import { type FuzzTarget, fromText } from "./engine/target.js"
import { oddNames } from "./service/odd-values.js"
import { writeRequest } from "./service/raw-request.js"
import { configurations } from "./targets/configurations.js"
import { providerAnswers } from "./targets/provider-answers.js"
import { requests, userRequests } from "./targets/requests.js"
import { storedRecords } from "./targets/stored-records.js"

const timeout = 600_000
/** 100 in `npm test`, more in `npm run test:properties`. */
const { numRuns = 100 } = fc.readConfigureGlobal()

const text = fc.oneof(fc.string(), fc.string({ unit: anyCharacter }), fc.webUrl(), fc.emailAddress())
const name = fc.constantFrom(
  "callbackUrl",
  "csrfToken",
  "email",
  "code",
  "state",
  "error",
  "u",
  "p",
  "data",
  "action",
  "__proto__",
)
const form = fc.array(fc.tuple(name, text), { maxLength: 6 }).map((fields) => new URLSearchParams(fields).toString())
const bodies = fc.oneof(form, fc.json(), text)

const path = fc
  .tuple(
    fc.constantFrom(
      "signin",
      "signout",
      "callback",
      "session",
      "csrf",
      "providers",
      "error",
      "verify-request",
      "webauthn-options",
    ),
    fc.constantFrom("", "/oidc", "/oauth", "/email", "/cred", "/passkey", "/__proto__", "/%2e%2e"),
    form,
  )
  .map(([action, provider, query]) => `/auth/${action}${provider}?${query}`)

const headers = fc.dictionary(
  fc.constantFrom(
    "cookie",
    "origin",
    "host",
    "x-forwarded-host",
    "sec-fetch-site",
    "authorization",
    "x-auth-return-redirect",
    "content-length",
  ),
  fc.string({ maxLength: 80 }).map((value) => value.replace(/[^ -~]/g, "")),
)

const types = fc.constantFrom(
  "application/x-www-form-urlencoded",
  "application/json; charset=utf-8",
  "multipart/form-data; boundary=x",
  "text/plain;application/json",
  "",
)

const anyRequest = fc
  .record({
    method: fc.constantFrom("GET", "POST", "HEAD", "PUT", "OPTIONS"),
    path,
    headers,
    type: types,
    body: bodies,
  })
  .map(({ type, headers: given, ...rest }) => writeRequest({ ...rest, headers: { ...given, "content-type": type } }))

/** Lines that set random paths to random values. */
function changesOf(paths: fc.Arbitrary<string>): fc.Arbitrary<Uint8Array> {
  const value = fc.oneof(
    fc.json({ maxDepth: 2 }),
    fc.constantFrom(...oddNames.map((odd) => `@${odd}`), '""', "null", "[]", "-1", '"https://evil.test"'),
  )
  const line = fc.tuple(paths, value).map(([where, what]) => `${where}=${what.replaceAll("\n", " ")}`)
  return fc.array(line, { minLength: 1, maxLength: 4 }).map((lines) => fromText(lines.join("\n")))
}

/** The paths that the seeds of a target name. */
async function pathsOf(target: FuzzTarget): Promise<fc.Arbitrary<string>> {
  const seeds = await target.seeds()
  const lines = seeds.flatMap((seed) => new TextDecoder().decode(seed).split("\n"))
  return fc.constantFrom(...new Set(lines.map((line) => line.split("=", 1)[0] ?? "")))
}

describe("random inputs", () => {
  it.each([requests, userRequests])("$name: every response keeps the contract", { timeout }, async (target) => {
    await fc.assert(
      fc.asyncProperty(anyRequest, async (input) => target.check(input)),
      { numRuns: 3 * numRuns },
    )
  })

  it.each([providerAnswers, storedRecords, configurations])(
    "$name: broken values do not sign in",
    { timeout },
    async (target) => {
      await fc.assert(
        fc.asyncProperty(changesOf(await pathsOf(target)), async (input) => target.check(input)),
        { numRuns: Math.ceil(0.4 * numRuns) },
      )
    },
  )
})
