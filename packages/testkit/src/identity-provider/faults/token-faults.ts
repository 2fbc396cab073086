import { exportSPKI } from "jose"
import { foreignKey } from "../keys.js"
import { changeSignature, type Effects, type Fault, type Members, without, zeroSignature } from "./fault.js"

/** Faults of the token response. */
export type TokenFaultName =
  | "access-token-missing"
  | "access-token-empty"
  | "token-type-missing"
  | "token-type-unknown"
  | "token-type-in-upper-case"
  | "expires-in-negative"
  | "expires-in-text"
  | "expires-in-infinite"
  | "tokens-with-strange-members"
  | "token-status-created"
  | "token-error"
  | "token-error-with-status-ok"

const success = "RFC 6749 section 5.1"

/** Faults of the token response. */
export const tokenFaults: Readonly<Record<TokenFaultName, Fault>> = {
  "access-token-missing": tokensFault(success, (tokens) => without(tokens, "access_token")),
  "access-token-empty": tokensFault(success, (tokens) => ({ ...tokens, access_token: "" })),
  "token-type-missing": tokensFault(success, (tokens) => without(tokens, "token_type")),
  "token-type-unknown": tokensFault("RFC 6749 section 7.1", (tokens) => ({ ...tokens, token_type: "N_A" })),
  "token-type-in-upper-case": {
    ...tokensFault(success, (tokens) => ({ ...tokens, token_type: "BEARER" })),
    outcome: "accepted",
  },
  "expires-in-negative": tokensFault(success, (tokens) => ({ ...tokens, expires_in: "-5" })),
  "expires-in-text": tokensFault(success, (tokens) => ({ ...tokens, expires_in: "abc" })),
  "expires-in-infinite": tokenResponseFault(success, writeInfinity),
  "tokens-with-strange-members": { ...tokenResponseFault(success, writeStrangeMembers), outcome: "accepted" },
  "token-status-created": tokenResponseFault(success, (response) => withStatus(response, 201)),
  "token-error": tokenResponseFault("RFC 6749 section 5.2", () => errorResponse(400)),
  "token-error-with-status-ok": tokenResponseFault("RFC 6749 section 5.2", () => errorResponse(200)),
}

/** A fault in the members of the token response. */
function tokensFault(source: string, change: (tokens: Members) => Members): Fault {
  return { stage: "token", outcome: "refused", source, effects: { tokens: change } }
}

/** A fault in the token response as a whole. */
function tokenResponseFault(source: string, change: (response: Response) => Response | Promise<Response>): Fault {
  return {
    stage: "token",
    outcome: "refused",
    source,
    effects: { response: (response, { endpoint }) => (endpoint === "token" ? change(response) : response) },
  }
}

function errorResponse(status: number): Response {
  return Response.json({ error: "invalid_grant", error_description: "The code is unknown" }, { status })
}

async function withStatus(response: Response, status: number): Promise<Response> {
  return new Response(await response.text(), { status, headers: response.headers })
}

/** `JSON.stringify` cannot write a number that parses as `Infinity`, so this edits the text. */
async function writeInfinity(response: Response): Promise<Response> {
  const text = (await response.text()).replace(/"expires_in":\d+/, '"expires_in":1e309')
  return new Response(text, { headers: response.headers })
}

async function writeStrangeMembers(response: Response): Promise<Response> {
  const strange =
    '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"userId":"u-v","provider":"other",'
  return new Response((await response.text()).replace("{", strange), { headers: response.headers })
}

type ClaimFaultName =
  | "id-token-iss-wrong"
  | "id-token-iss-missing"
  | "id-token-sub-missing"
  | "id-token-sub-empty"
  | "id-token-aud-missing"
  | "id-token-aud-wrong"
  | "id-token-aud-list-wrong"
  | "id-token-aud-list-empty"
  | "id-token-aud-extra"
  | "id-token-azp-wrong"
  | "id-token-exp-missing"
  | "id-token-expired"
  | "id-token-iat-missing"
  | "id-token-ancient"
  | "id-token-from-the-future"
  | "id-token-not-yet-valid"
  | "id-token-nonce-missing"
  | "id-token-nonce-wrong"

type SignatureFaultName =
  | "id-token-unsigned"
  | "id-token-hmac-with-public-pem"
  | "id-token-hmac-with-public-jwk"
  | "id-token-other-alg"
  | "id-token-signature-changed"
  | "id-token-signature-zero"
  | "id-token-signed-by-a-stranger"
  | "id-token-key-in-its-header"
  | "id-token-key-address-in-its-header"
  | "id-token-kid-absent"
  | "id-token-kid-absent-among-many"
  | "id-token-kid-unknown"
  | "keys-rotated-before-signing"

/** Faults of the ID token. */
export type IdTokenFaultName = ClaimFaultName | SignatureFaultName | "id-token-missing" | "id-token-garbled"

const daySeconds = 86_400
const oidcCore = "OpenID Connect Core 1.0 section "

const claimFaults: Readonly<Record<ClaimFaultName, Fault>> = {
  "id-token-iss-wrong": claimsFault(`${oidcCore}3.1.3.7 (2)`, (given) => ({ ...given, iss: "https://evil.test" })),
  "id-token-iss-missing": claimsFault(`${oidcCore}2`, (given) => without(given, "iss")),
  "id-token-sub-missing": claimsFault(`${oidcCore}2`, (given) => without(given, "sub")),
  "id-token-sub-empty": claimsFault(`${oidcCore}2`, (given) => ({ ...given, sub: "" })),
  "id-token-aud-missing": claimsFault(`${oidcCore}2`, (given) => without(given, "aud")),
  "id-token-aud-wrong": claimsFault(`${oidcCore}3.1.3.7 (3)`, (given) => ({ ...given, aud: "other" })),
  "id-token-aud-list-wrong": claimsFault(`${oidcCore}3.1.3.7 (3)`, (given) => ({ ...given, aud: ["other"] })),
  "id-token-aud-list-empty": claimsFault(`${oidcCore}3.1.3.7 (3)`, (given) => ({ ...given, aud: [] })),
  "id-token-aud-extra": claimsFault(`${oidcCore}3.1.3.7 (3-4)`, (given) => ({
    ...given,
    aud: [given["aud"], "other"],
  })),
  "id-token-azp-wrong": claimsFault(`${oidcCore}3.1.3.7 (5)`, (given) => ({
    ...given,
    aud: [given["aud"], "other"],
    azp: "other",
  })),
  "id-token-exp-missing": claimsFault(`${oidcCore}2`, (given) => without(given, "exp")),
  "id-token-expired": claimsFault(`${oidcCore}3.1.3.7 (9)`, (given) => ({
    ...given,
    iat: now() - 7200,
    exp: now() - 3600,
  })),
  "id-token-iat-missing": claimsFault(`${oidcCore}2`, (given) => without(given, "iat")),
  "id-token-ancient": claimsFault(`${oidcCore}3.1.3.7 (10)`, (given) => ({ ...given, iat: now() - 7 * daySeconds })),
  "id-token-from-the-future": claimsFault(`${oidcCore}3.1.3.7 (10)`, (given) => ({ ...given, iat: now() + 600 })),
  "id-token-not-yet-valid": claimsFault("RFC 7519 section 4.1.5", (given) => ({ ...given, nbf: now() + 600 })),
  "id-token-nonce-missing": claimsFault(`${oidcCore}3.1.3.7 (11)`, (given) => without(given, "nonce")),
  "id-token-nonce-wrong": claimsFault(`${oidcCore}3.1.3.7 (11)`, (given) => ({ ...given, nonce: crypto.randomUUID() })),
}

const signatureFaults: Readonly<Record<SignatureFaultName, Fault>> = {
  "id-token-unsigned": signatureFault("RFC 8725 section 3.2", {
    idTokenSigning: () => ({ header: { alg: "none" }, key: null }),
  }),
  "id-token-hmac-with-public-pem": signatureFault("RFC 8725 section 2.1", {
    idTokenSigning: async ({ header }, { keys }) => {
      const pem = await exportSPKI((await keys.current()).publicKey)
      return { header: { ...header, alg: "HS256" }, key: new TextEncoder().encode(pem) }
    },
  }),
  "id-token-hmac-with-public-jwk": signatureFault("RFC 8725 section 2.1", {
    idTokenSigning: async ({ header }, { keys }) => {
      const jwk = JSON.stringify((await keys.current()).publicJwk)
      return { header: { ...header, alg: "HS256" }, key: new TextEncoder().encode(jwk) }
    },
  }),
  "id-token-other-alg": signatureFault("RFC 8725 section 3.1", {
    idTokenSigning: async (_, { keys }) => {
      const { alg, kid, privateKey } = await keys.extra(keys.alg === "ES256" ? "PS256" : "ES256")
      return { header: { alg, kid, typ: "JWT" }, key: privateKey }
    },
  }),
  "id-token-signature-changed": signatureFault(`${oidcCore}3.1.3.7 (6)`, { idToken: changeSignature }),
  "id-token-signature-zero": signatureFault("CVE-2022-21449", {
    idToken: zeroSignature,
  }),
  "id-token-signed-by-a-stranger": signatureFault(`${oidcCore}3.1.3.7 (6)`, {
    idTokenSigning: async ({ header }) => ({ header, key: (await foreignKey("RS256")).privateKey }),
  }),
  "id-token-key-in-its-header": signatureFault("RFC 8725 section 3.10", {
    idTokenSigning: async () => {
      const { alg, kid, privateKey, publicJwk } = await foreignKey("RS256")
      return { header: { alg, kid, typ: "JWT", jwk: publicJwk }, key: privateKey }
    },
  }),
  "id-token-key-address-in-its-header": signatureFault("RFC 8725 section 3.10", {
    idTokenSigning: async () => {
      const { alg, kid, privateKey } = await foreignKey("RS256")
      return {
        header: { alg, kid, typ: "JWT", jku: "https://evil.test/jwks", x5u: "https://evil.test/x5u" },
        key: privateKey,
      }
    },
  }),
  "id-token-kid-absent": {
    ...signatureFault("OpenID Connect Core 1.0 section 10.1", { idTokenSigning: withoutKid }),
    outcome: "accepted",
  },
  "id-token-kid-absent-among-many": signatureFault("OpenID Connect Core 1.0 section 10.1", {
    idTokenSigning: async (signing, { keys }) => {
      if (keys.alg !== "HS256") await keys.extra(keys.alg)
      return withoutKid(signing)
    },
  }),
  "id-token-kid-unknown": signatureFault("OpenID Connect Core 1.0 section 10.1.1", {
    idTokenSigning: ({ header, key }) => ({ header: { ...header, kid: crypto.randomUUID() }, key }),
  }),
  "keys-rotated-before-signing": {
    ...signatureFault("OpenID Connect Core 1.0 section 10.1.1", {
      idTokenSigning: async ({ header }, { keys }) => {
        keys.rotate()
        const { kid, privateKey } = await keys.current()
        return { header: { ...header, kid }, key: privateKey }
      },
    }),
    outcome: "accepted",
  },
}

/** Faults of the ID token. Signature faults are for providers that sign with RS256 or ES256. */
export const idTokenFaults: Readonly<Record<IdTokenFaultName, Fault>> = {
  ...claimFaults,
  ...signatureFaults,
  "id-token-missing": signatureFault(`${oidcCore}3.1.3.3`, { tokens: (tokens) => without(tokens, "id_token") }),
  "id-token-garbled": signatureFault("RFC 7519 section 7.2", { idToken: (token) => token.replace(".", "") }),
}

function claimsFault(source: string, change: (given: Members) => Members): Fault {
  return { stage: "id-token", outcome: "refused", source, effects: { idTokenClaims: change } }
}

function signatureFault(source: string, effects: Effects): Fault {
  return { stage: "id-token", outcome: "refused", source, effects }
}

function withoutKid<S extends { readonly header: Members & { readonly alg: string } }>(signing: S): S {
  return { ...signing, header: { ...without(signing.header, "kid"), alg: signing.header.alg } }
}

function now(): number {
  return Math.floor(Date.now() / 1000)
}

/** Faults of the userinfo response. */
export type UserinfoFaultName =
  | "userinfo-sub-wrong"
  | "userinfo-sub-missing"
  | "userinfo-sub-empty"
  | "userinfo-sub-zero"
  | "userinfo-sub-null"
  | "userinfo-sub-object"
  | "userinfo-sub-list"
  | "userinfo-error-with-status-ok"

/** Faults of the userinfo response. A wrong `sub` is detectable only with an ID token. */
export const userinfoFaults: Readonly<Record<UserinfoFaultName, Fault>> = {
  "userinfo-sub-wrong": userinfoFault((given) => ({ ...given, sub: "another-user" })),
  "userinfo-sub-missing": userinfoFault((given) => without(given, "sub")),
  "userinfo-sub-empty": userinfoFault((given) => ({ ...given, sub: "" })),
  "userinfo-sub-zero": userinfoFault((given) => ({ ...given, sub: 0 })),
  "userinfo-sub-null": userinfoFault((given) => ({ ...given, sub: null })),
  "userinfo-sub-object": userinfoFault((given) => ({ ...given, sub: { id: given["sub"] } })),
  "userinfo-sub-list": userinfoFault((given) => ({ ...given, sub: [given["sub"]] })),
  "userinfo-error-with-status-ok": userinfoFault(() => ({
    error: "invalid_token",
    error_description: "The token is unknown",
  })),
}

function userinfoFault(change: (given: Members) => Members): Fault {
  return {
    stage: "userinfo",
    outcome: "refused",
    source: "OpenID Connect Core 1.0 section 5.3.2",
    effects: { userinfo: change },
  }
}
