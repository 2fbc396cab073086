import { exportSPKI } from "jose"
import { foreignKey } from "../keys.js"
import {
  type AuthorizationAnswer,
  changeSignature,
  type Effects,
  type Fault,
  type FaultContext,
  type Members,
  without,
} from "./fault.js"

/** Faults of the authorization response. */
export type AuthorizationFaultName =
  | "state-missing"
  | "state-changed"
  | "state-duplicated"
  | "code-missing"
  | "code-duplicated"
  | "code-beside-error"
  | "tokens-in-the-answer"
  | "answer-as-a-jwt"
  | "answer-iss-wrong"
  | "answer-iss-missing"
  | "answer-iss-duplicated"
  | "answer-in-the-other-mode"
  | "access-denied"
  | "access-denied-without-state"
  | "error-with-markup"
  | "error-with-line-breaks"

type ParameterChange = (params: URLSearchParams) => void

/**
 * Faults of the authorization response. A missing `iss` is detectable only with discovery.
 */
export const authorizationFaults: Readonly<Record<AuthorizationFaultName, Fault>> = {
  "state-missing": answerFault("RFC 6749 section 10.12", (params) => params.delete("state")),
  "state-changed": answerFault("RFC 9700 section 4.7", (params) => params.set("state", alter(params.get("state")))),
  "state-duplicated": answerFault("RFC 6749 section 3.1", (params) =>
    params.append("state", alter(params.get("state"))),
  ),
  "code-missing": answerFault("RFC 6749 section 4.1.2", (params) => params.delete("code")),
  "code-duplicated": answerFault("RFC 6749 section 3.1", (params) => params.append("code", alter(params.get("code")))),
  "code-beside-error": answerFault("RFC 6749 section 4.1.2.1", (params) => params.set("error", "server_error")),
  "tokens-in-the-answer": answerFault("RFC 9700 section 2.1.2", (params) => {
    params.delete("code")
    params.set("access_token", crypto.randomUUID())
    params.set("id_token", `${crypto.randomUUID()}.${crypto.randomUUID()}.`)
  }),
  "answer-as-a-jwt": answerFault("JARM section 2.1", (params) => {
    params.delete("code")
    params.set("response", `${crypto.randomUUID()}.${crypto.randomUUID()}.${crypto.randomUUID()}`)
  }),
  "answer-iss-wrong": answerFault("RFC 9207 section 2.4", (params) => params.set("iss", "https://evil.test")),
  "answer-iss-missing": answerFault("RFC 9207 section 2.4", (params) => params.delete("iss")),
  "answer-iss-duplicated": answerFault("RFC 6749 section 3.1", (params) => params.append("iss", "https://evil.test")),
  "answer-in-the-other-mode": {
    stage: "authorization",
    outcome: "refused",
    source: "OAuth 2.0 Form Post Response Mode section 2",
    effects: {
      authorizationAnswer: ({ params, mode }) => ({ params, mode: mode === "query" ? "form_post" : "query" }),
    },
  },
  "access-denied": answerFault("RFC 6749 section 4.1.2.1", (params) =>
    toError(params, "access_denied", "The user denied the sign-in"),
  ),
  "access-denied-without-state": answerFault("RFC 9700 section 4.7", (params) => {
    toError(params, "access_denied", "The user denied the sign-in")
    params.delete("state")
  }),
  "error-with-markup": answerFault("CWE-79", (params) =>
    toError(params, "access_denied", `<script>alert("x")</script>"><img src=x onerror=alert(1)>`),
  ),
  "error-with-line-breaks": answerFault("CWE-117", (params) =>
    toError(params, "server_error", "x\r\n[auth] a forged line"),
  ),
}

function answerFault(source: string, change: ParameterChange): Fault {
  return { stage: "authorization", outcome: "refused", source, effects: changeParameters(change) }
}

function changeParameters(change: ParameterChange): Effects {
  return {
    authorizationAnswer: ({ params, mode }): AuthorizationAnswer => {
      const changed = new URLSearchParams(params)
      change(changed)
      return { params: changed, mode }
    },
  }
}

function toError(params: URLSearchParams, error: string, description: string): void {
  params.delete("code")
  params.set("error", error)
  params.set("error_description", description)
}

/** Changes only the last character, to catch a comparison of prefixes or lengths. */
function alter(text: string | null): string {
  const value = text ?? "x"
  return value.slice(0, -1) + (value.endsWith("A") ? "B" : "A")
}

/** Faults of a signed authorization response. */
export type SignedAnswerFaultName =
  | "signed-answer-iss-wrong"
  | "signed-answer-iss-missing"
  | "signed-answer-aud-wrong"
  | "signed-answer-aud-missing"
  | "signed-answer-exp-missing"
  | "signed-answer-expired"
  | "signed-answer-not-yet-valid"
  | "signed-answer-critical"
  | "signed-answer-state-wrong"
  | "signed-answer-state-missing"
  | "signed-answer-without-code"
  | "signed-answer-with-token"
  | "signed-answer-unsigned"
  | "signed-answer-hmac-with-public-pem"
  | "signed-answer-other-alg"
  | "signed-answer-by-a-stranger"
  | "signed-answer-signature-changed"
  | "signed-answer-garbled"
  | "signed-answer-duplicated"
  | "signed-answer-beside-code"
  | "signed-answer-absent"

/**
 * Faults of a signed authorization response, JARM section 2.4. They affect only clients that request one.
 */
export const signedAnswerFaults: Readonly<Record<SignedAnswerFaultName, Fault>> = {
  "signed-answer-iss-wrong": signedClaimsFault((given) => ({ ...given, iss: "https://evil.test" })),
  "signed-answer-iss-missing": signedClaimsFault((given) => without(given, "iss")),
  "signed-answer-aud-wrong": signedClaimsFault((given) => ({ ...given, aud: "other" })),
  "signed-answer-aud-missing": signedClaimsFault((given) => without(given, "aud")),
  "signed-answer-exp-missing": signedClaimsFault((given) => without(given, "exp")),
  "signed-answer-expired": signedClaimsFault((given) => ({ ...given, exp: Math.floor(Date.now() / 1000) - 3600 })),
  "signed-answer-not-yet-valid": signedClaimsFault((given) => ({
    ...given,
    nbf: Math.floor(Date.now() / 1000) + 3600,
  })),
  "signed-answer-critical": signedAnswerFault({
    answerSigning: (given) => ({ ...given, header: { ...given.header, crit: ["b64"], b64: true } }),
  }),
  "signed-answer-state-wrong": signedClaimsFault((given) => ({ ...given, state: `${given["state"]}x` })),
  "signed-answer-state-missing": signedClaimsFault((given) => without(given, "state")),
  "signed-answer-without-code": signedClaimsFault((given) => without(given, "code")),
  "signed-answer-with-token": signedClaimsFault((given) => ({ ...given, access_token: crypto.randomUUID() })),
  "signed-answer-unsigned": signedAnswerFault({ answerSigning: () => ({ header: { alg: "none" }, key: null }) }),
  "signed-answer-hmac-with-public-pem": signedAnswerFault({
    answerSigning: async ({ header }, { keys }) => {
      const pem = await exportSPKI((await keys.current()).publicKey)
      return { header: { ...header, alg: "HS256" }, key: new TextEncoder().encode(pem) }
    },
  }),
  "signed-answer-other-alg": signedAnswerFault({
    answerSigning: async (_, { keys }) => {
      const { alg, kid, privateKey } = await keys.extra(keys.own === "ES256" ? "PS256" : "ES256")
      return { header: { alg, kid, typ: "JWT" }, key: privateKey }
    },
  }),
  "signed-answer-by-a-stranger": signedAnswerFault({
    answerSigning: async ({ header }, { keys }) => ({ header, key: (await foreignKey(keys.own)).privateKey }),
  }),
  "signed-answer-signature-changed": signedAnswerFault({ answerToken: changeSignature }),
  "signed-answer-garbled": signedAnswerFault({ answerToken: (token) => token.replace(".", "") }),
  "signed-answer-duplicated": signedAnswerFault({
    signedAnswer: ({ params, mode }) => ({ params: new URLSearchParams([...params, ...params]), mode }),
  }),
  "signed-answer-beside-code": signedAnswerFault({
    signedAnswer: ({ params, mode }) => ({ params: new URLSearchParams([...params, ["code", "c"]]), mode }),
  }),
  "signed-answer-absent": signedAnswerFault({
    authorizationAnswer: ({ params, mode }) => ({ params, mode, isSigned: false }),
  }),
}

function signedClaimsFault(change: (given: Members) => Members): Fault {
  return signedAnswerFault({ answerClaims: change })
}

function signedAnswerFault(effects: Effects): Fault {
  return { stage: "signed-answer", outcome: "refused", source: "JARM section 2.4", effects }
}

/** Faults of the response to a pushed authorization request. */
export type PushedFaultName =
  | "pushed-status-ok"
  | "pushed-reference-missing"
  | "pushed-lifetime-missing"
  | "pushed-error"
  | "pushed-reference-unknown"

type Change = (response: Response) => Response | Promise<Response>

/** Faults of the response to a pushed authorization request, RFC 9126 sections 2.2 and 2.3. */
export const pushedFaults: Readonly<Record<PushedFaultName, Fault>> = {
  "pushed-status-ok": pushedFault(async (response) => Response.json(await response.json(), { status: 200 })),
  "pushed-reference-missing": pushedFault(() => Response.json({ expires_in: 60 }, { status: 201 })),
  "pushed-lifetime-missing": pushedFault(() => Response.json({ request_uri: "urn:example:one" }, { status: 201 })),
  "pushed-error": pushedFault(() => Response.json({ error: "invalid_request" }, { status: 400 })),
  // Only the provider can detect this.
  "pushed-reference-unknown": {
    ...pushedFault(() =>
      Response.json({ request_uri: "urn:ietf:params:oauth:request_uri:none", expires_in: 60 }, { status: 201 }),
    ),
    outcome: "choice",
  },
}

function pushedFault(change: Change): Fault {
  return {
    stage: "pushed",
    outcome: "refused",
    source: "RFC 9126 section 2.2",
    effects: {
      response: (response: Response, { endpoint }: FaultContext) =>
        endpoint === "pushed" ? change(response) : response,
    },
  }
}
