import { exportSPKI } from "jose"
import { foreignKey } from "../keys.js"
import type { Effects, Fault, Members } from "./fault.js"
import { without } from "./members.js"
import { changeSignature } from "./signatures.js"

export type SignedAnswerFaultName =
  | "signed-answer-iss-wrong"
  | "signed-answer-iss-missing"
  | "signed-answer-aud-wrong"
  | "signed-answer-aud-missing"
  | "signed-answer-exp-missing"
  | "signed-answer-expired"
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
 * What can be wrong with an answer that comes as a signed token: JARM section 2.4. Seen only by apps that ask for one.
 */
export const signedAnswerFaults: Readonly<Record<SignedAnswerFaultName, Fault>> = {
  "signed-answer-iss-wrong": claims((given) => ({ ...given, iss: "https://evil.test" })),
  "signed-answer-iss-missing": claims((given) => without(given, "iss")),
  "signed-answer-aud-wrong": claims((given) => ({ ...given, aud: "other" })),
  "signed-answer-aud-missing": claims((given) => without(given, "aud")),
  "signed-answer-exp-missing": claims((given) => without(given, "exp")),
  "signed-answer-expired": claims((given) => ({ ...given, exp: Math.floor(Date.now() / 1000) - 3600 })),
  "signed-answer-state-wrong": claims((given) => ({ ...given, state: `${given["state"]}x` })),
  "signed-answer-state-missing": claims((given) => without(given, "state")),
  "signed-answer-without-code": claims((given) => without(given, "code")),
  "signed-answer-with-token": claims((given) => ({ ...given, access_token: crypto.randomUUID() })),
  "signed-answer-unsigned": refused({ answerSigning: () => ({ header: { alg: "none" }, key: null }) }),
  "signed-answer-hmac-with-public-pem": refused({
    answerSigning: async ({ header }, { keys }) => {
      const pem = await exportSPKI((await keys.current()).publicKey)
      return { header: { ...header, alg: "HS256" }, key: new TextEncoder().encode(pem) }
    },
  }),
  "signed-answer-other-alg": refused({
    answerSigning: async (_, { keys }) => {
      const { alg, kid, privateKey } = await keys.extra(keys.own === "ES256" ? "PS256" : "ES256")
      return { header: { alg, kid, typ: "JWT" }, key: privateKey }
    },
  }),
  "signed-answer-by-a-stranger": refused({
    answerSigning: async ({ header }, { keys }) => ({ header, key: (await foreignKey(keys.own)).privateKey }),
  }),
  "signed-answer-signature-changed": refused({ answerToken: changeSignature }),
  "signed-answer-garbled": refused({ answerToken: (token) => token.replace(".", "") }),
  "signed-answer-duplicated": refused({
    signedAnswer: ({ params, mode }) => ({ params: new URLSearchParams([...params, ...params]), mode }),
  }),
  "signed-answer-beside-code": refused({
    signedAnswer: ({ params, mode }) => ({ params: new URLSearchParams([...params, ["code", "c"]]), mode }),
  }),
  "signed-answer-absent": refused({
    authorizationAnswer: ({ params, mode }) => ({ params, mode, isSigned: false }),
  }),
}

function claims(change: (given: Members) => Members): Fault {
  return refused({ answerClaims: change })
}

function refused(effects: Effects): Fault {
  return { stage: "signed-answer", outcome: "refused", source: "JARM section 2.4", effects }
}
