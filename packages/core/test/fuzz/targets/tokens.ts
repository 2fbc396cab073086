import { parseClaims, parseProtectedHeader, tokens } from "../../../src/crypto/jwt.js"
import { createSealer } from "../../../src/crypto/seal.js"
import { getToken } from "../../../src/jwt/index.js"
import { type FuzzTarget, fromLatin1, fromText, promise, toLatin1, toText } from "../engine/target.js"

const secret = ["the newest secret of this service, long", "the secret that was used before this one"]
const salt = "__Secure-authjs.session-token"
const sealer = createSealer(secret)

/** Genuine tokens. Any other token that opens is a forgery. */
const genuine = new Set<string>()

async function issue(): Promise<readonly string[]> {
  const session = await tokens.encode({ token: { sub: "u-v", name: "V" }, secret, salt })
  const older = await tokens.encode({ token: { sub: "u-v" }, secret: secret.slice(1), salt })
  const state = await sealer.seal("encodedState", { flow: "x" }, 900)
  for (const token of [session, older, state]) genuine.add(token)
  return [session, older, state]
}

const unsecured = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ1LXYifQ."
const parts = ["eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0", "eyJhbGciOiJub25lIn0", "eyJ6aXAiOiJERUYi"]

/** A session token or a sealed value. */
export const sealedTokens: FuzzTarget = {
  name: "sealed-tokens",
  seeds: async () =>
    [...(await issue()), unsecured, `${parts[0]}..AAAAAAAAAAAAAAAA.AAAA.AAAAAAAAAAAAAAAAAAAAAA`].map(fromLatin1),
  dictionary: [...parts, ".", "..", "A".repeat(16), "=", "-", "_", "%", "Bearer "],
  work: { perByte: 60, perInput: 6_000 },
  async check(input) {
    const text = toLatin1(input)
    const claims = await tokens.open({ token: text, secret, salt })
    promise(claims === null || genuine.has(text), "a session token needs the secret")
    promise((await sealer.open("encodedState", text)) === null || genuine.has(text), "a sealed value needs the secret")
    const ascii = text.replace(/[^\x20-\x7e]/g, "?")
    const headers = { authorization: ascii.startsWith("Bearer") ? ascii : `Bearer ${ascii}` }
    const token = await getToken({ req: { headers }, secret, salt })
    promise(
      token === null || genuine.has(decodeURIComponent(headers.authorization.slice(7))),
      "a forged bearer token is rejected",
    )
  },
}

/** The JSON of claims and headers. */
export const claims: FuzzTarget = {
  name: "claims",
  seeds: () =>
    [
      '{"sub":"u-v","exp":9999999999,"a":{"b":[1,"\\u005f_proto__"]}}',
      '{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}}',
      '{"alg":"dir","enc":"A256CBC-HS512","kid":"k"}',
    ].map(fromText),
  dictionary: [
    '"__proto__":',
    "\\u005f",
    '{"a":',
    "[[",
    "]]",
    "}}",
    "null",
    "1e999",
    '"alg":"dir"',
    '"crit":[]',
    '"enc":"A256GCM"',
  ],
  work: { perByte: 200, perInput: 3_000 },
  check(input) {
    const text = toText(input)
    const parsed = parseClaims(text)
    if (parsed !== null) {
      promise(!hasOwnDeep(parsed, "__proto__"), "no claim is named __proto__")
      JSON.stringify(parsed)
    }
    const header = parseProtectedHeader(text)
    promise(
      header === null || ["A256CBC-HS512", "A256GCM"].includes(header.enc),
      "only the listed encryptions are accepted",
    )
  },
}

function hasOwnDeep(value: unknown, name: string): boolean {
  if (typeof value !== "object" || value === null) return false
  return Object.hasOwn(value, name) || Object.values(value).some((member) => hasOwnDeep(member, name))
}
