import type { AuthorizationAnswer, Effects, Fault } from "./fault.js"

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
 * What can be wrong with the answer that the browser brings. That `iss` is missing is seen only by apps that use
 * discovery.
 */
export const authorizationFaults: Readonly<Record<AuthorizationFaultName, Fault>> = {
  "state-missing": refused("RFC 6749 section 10.12", (params) => params.delete("state")),
  "state-changed": refused("RFC 9700 section 4.7", (params) => params.set("state", alter(params.get("state")))),
  "state-duplicated": refused("RFC 6749 section 3.1", (params) => params.append("state", alter(params.get("state")))),
  "code-missing": refused("RFC 6749 section 4.1.2", (params) => params.delete("code")),
  "code-duplicated": refused("RFC 6749 section 3.1", (params) => params.append("code", alter(params.get("code")))),
  "code-beside-error": refused("RFC 6749 section 4.1.2.1", (params) => params.set("error", "server_error")),
  "tokens-in-the-answer": refused("RFC 9700 section 2.1.2", (params) => {
    params.delete("code")
    params.set("access_token", crypto.randomUUID())
    params.set("id_token", `${crypto.randomUUID()}.${crypto.randomUUID()}.`)
  }),
  "answer-as-a-jwt": refused("JARM section 2.1", (params) => {
    params.delete("code")
    params.set("response", `${crypto.randomUUID()}.${crypto.randomUUID()}.${crypto.randomUUID()}`)
  }),
  "answer-iss-wrong": refused("RFC 9207 section 2.4", (params) => params.set("iss", "https://evil.test")),
  "answer-iss-missing": refused("RFC 9207 section 2.4", (params) => params.delete("iss")),
  "answer-iss-duplicated": refused("RFC 6749 section 3.1", (params) => params.append("iss", "https://evil.test")),
  "answer-in-the-other-mode": {
    stage: "authorization",
    outcome: "refused",
    source: "OAuth 2.0 Form Post Response Mode section 2",
    effects: {
      authorizationAnswer: ({ params, mode }) => ({ params, mode: mode === "query" ? "form_post" : "query" }),
    },
  },
  "access-denied": refused("RFC 6749 section 4.1.2.1", (params) =>
    toError(params, "access_denied", "The person said no"),
  ),
  "access-denied-without-state": refused("RFC 9700 section 4.7", (params) => {
    toError(params, "access_denied", "The person said no")
    params.delete("state")
  }),
  "error-with-markup": refused("CWE-79", (params) =>
    toError(params, "access_denied", `<script>alert("x")</script>"><img src=x onerror=alert(1)>`),
  ),
  "error-with-line-breaks": refused("CWE-117", (params) =>
    toError(params, "server_error", "x\r\n[auth] a line of mine"),
  ),
}

function refused(source: string, change: ParameterChange): Fault {
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

/** Differs in the last character only, so that a comparison of beginnings or of lengths would be fooled. */
function alter(text: string | null): string {
  const value = text ?? "x"
  return value.slice(0, -1) + (value.endsWith("A") ? "B" : "A")
}
