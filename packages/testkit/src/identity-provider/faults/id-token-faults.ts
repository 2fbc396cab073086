import { exportSPKI } from "jose"
import { foreignKey } from "../keys.js"
import type { Effects, Fault, Members } from "./fault.js"
import { without } from "./members.js"
import { changeSignature, zeroSignature } from "./signatures.js"

export type ClaimFaultName =
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

export type SignatureFaultName =
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

export type IdTokenFaultName = ClaimFaultName | SignatureFaultName | "id-token-missing" | "id-token-garbled"

const daySeconds = 86_400
const core = "OpenID Connect Core 1.0 section "

const claimFaults: Readonly<Record<ClaimFaultName, Fault>> = {
  "id-token-iss-wrong": claims(`${core}3.1.3.7 (2)`, (given) => ({ ...given, iss: "https://evil.test" })),
  "id-token-iss-missing": claims(`${core}2`, (given) => without(given, "iss")),
  "id-token-sub-missing": claims(`${core}2`, (given) => without(given, "sub")),
  "id-token-sub-empty": claims(`${core}2`, (given) => ({ ...given, sub: "" })),
  "id-token-aud-missing": claims(`${core}2`, (given) => without(given, "aud")),
  "id-token-aud-wrong": claims(`${core}3.1.3.7 (3)`, (given) => ({ ...given, aud: "other" })),
  "id-token-aud-list-wrong": claims(`${core}3.1.3.7 (3)`, (given) => ({ ...given, aud: ["other"] })),
  "id-token-aud-list-empty": claims(`${core}3.1.3.7 (3)`, (given) => ({ ...given, aud: [] })),
  "id-token-aud-extra": claims(`${core}3.1.3.7 (3-4)`, (given) => ({ ...given, aud: [given["aud"], "other"] })),
  "id-token-azp-wrong": claims(`${core}3.1.3.7 (5)`, (given) => ({
    ...given,
    aud: [given["aud"], "other"],
    azp: "other",
  })),
  "id-token-exp-missing": claims(`${core}2`, (given) => without(given, "exp")),
  "id-token-expired": claims(`${core}3.1.3.7 (9)`, (given) => ({ ...given, iat: now() - 7200, exp: now() - 3600 })),
  "id-token-iat-missing": claims(`${core}2`, (given) => without(given, "iat")),
  "id-token-ancient": claims(`${core}3.1.3.7 (10)`, (given) => ({ ...given, iat: now() - 7 * daySeconds })),
  "id-token-from-the-future": claims(`${core}3.1.3.7 (10)`, (given) => ({ ...given, iat: now() + 600 })),
  "id-token-not-yet-valid": claims("RFC 7519 section 4.1.5", (given) => ({ ...given, nbf: now() + 600 })),
  "id-token-nonce-missing": claims(`${core}3.1.3.7 (11)`, (given) => without(given, "nonce")),
  "id-token-nonce-wrong": claims(`${core}3.1.3.7 (11)`, (given) => ({ ...given, nonce: crypto.randomUUID() })),
}

const signatureFaults: Readonly<Record<SignatureFaultName, Fault>> = {
  "id-token-unsigned": signature("RFC 8725 section 3.2", {
    idTokenSigning: () => ({ header: { alg: "none" }, key: null }),
  }),
  "id-token-hmac-with-public-pem": signature("RFC 8725 section 2.1", {
    idTokenSigning: async ({ header }, { keys }) => {
      const pem = await exportSPKI((await keys.current()).publicKey)
      return { header: { ...header, alg: "HS256" }, key: new TextEncoder().encode(pem) }
    },
  }),
  "id-token-hmac-with-public-jwk": signature("RFC 8725 section 2.1", {
    idTokenSigning: async ({ header }, { keys }) => {
      const jwk = JSON.stringify((await keys.current()).publicJwk)
      return { header: { ...header, alg: "HS256" }, key: new TextEncoder().encode(jwk) }
    },
  }),
  "id-token-other-alg": signature("RFC 8725 section 3.1", {
    idTokenSigning: async (_, { keys }) => {
      const { alg, kid, privateKey } = await keys.extra(keys.alg === "ES256" ? "PS256" : "ES256")
      return { header: { alg, kid, typ: "JWT" }, key: privateKey }
    },
  }),
  "id-token-signature-changed": signature(`${core}3.1.3.7 (6)`, { idToken: changeSignature }),
  "id-token-signature-zero": signature("CVE-2022-21449", {
    idToken: zeroSignature,
  }),
  "id-token-signed-by-a-stranger": signature(`${core}3.1.3.7 (6)`, {
    idTokenSigning: async ({ header }) => ({ header, key: (await foreignKey("RS256")).privateKey }),
  }),
  "id-token-key-in-its-header": signature("RFC 8725 section 3.10", {
    idTokenSigning: async () => {
      const { alg, kid, privateKey, publicJwk } = await foreignKey("RS256")
      return { header: { alg, kid, typ: "JWT", jwk: publicJwk }, key: privateKey }
    },
  }),
  "id-token-key-address-in-its-header": signature("RFC 8725 section 3.10", {
    idTokenSigning: async () => {
      const { alg, kid, privateKey } = await foreignKey("RS256")
      return {
        header: { alg, kid, typ: "JWT", jku: "https://evil.test/jwks", x5u: "https://evil.test/x5u" },
        key: privateKey,
      }
    },
  }),
  "id-token-kid-absent": {
    ...signature("OpenID Connect Core 1.0 section 10.1", { idTokenSigning: withoutKid }),
    outcome: "accepted",
  },
  "id-token-kid-absent-among-many": signature("OpenID Connect Core 1.0 section 10.1", {
    idTokenSigning: async (signing, { keys }) => {
      if (keys.alg !== "HS256") await keys.extra(keys.alg)
      return withoutKid(signing)
    },
  }),
  "id-token-kid-unknown": signature("OpenID Connect Core 1.0 section 10.1.1", {
    idTokenSigning: ({ header, key }) => ({ header: { ...header, kid: crypto.randomUUID() }, key }),
  }),
  "keys-rotated-before-signing": {
    ...signature("OpenID Connect Core 1.0 section 10.1.1", {
      idTokenSigning: async ({ header }, { keys }) => {
        keys.rotate()
        const { kid, privateKey } = await keys.current()
        return { header: { ...header, kid }, key: privateKey }
      },
    }),
    outcome: "accepted",
  },
}

/** What can be wrong with an ID token. Those of signatures are for providers that sign with RS256 or ES256. */
export const idTokenFaults: Readonly<Record<IdTokenFaultName, Fault>> = {
  ...claimFaults,
  ...signatureFaults,
  "id-token-missing": signature(`${core}3.1.3.3`, { tokens: (tokens) => without(tokens, "id_token") }),
  "id-token-garbled": signature("RFC 7519 section 7.2", { idToken: (token) => token.replace(".", "") }),
}

function claims(source: string, change: (given: Members) => Members): Fault {
  return { stage: "id-token", outcome: "refused", source, effects: { idTokenClaims: change } }
}

function signature(source: string, effects: Effects): Fault {
  return { stage: "id-token", outcome: "refused", source, effects }
}

function withoutKid<S extends { readonly header: Members & { readonly alg: string } }>(signing: S): S {
  return { ...signing, header: { ...without(signing.header, "kid"), alg: signing.header.alg } }
}

function now(): number {
  return Math.floor(Date.now() / 1000)
}
