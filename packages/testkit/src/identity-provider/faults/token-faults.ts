import type { Effects, Fault, Members } from "./fault.js"
import { without } from "./members.js"

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

/** What can be wrong with the answer of the token endpoint. */
export const tokenFaults: Readonly<Record<TokenFaultName, Fault>> = {
  "access-token-missing": refused(
    success,
    changed((tokens) => without(tokens, "access_token")),
  ),
  "access-token-empty": refused(
    success,
    changed((tokens) => ({ ...tokens, access_token: "" })),
  ),
  "token-type-missing": refused(
    success,
    changed((tokens) => without(tokens, "token_type")),
  ),
  "token-type-unknown": refused(
    "RFC 6749 section 7.1",
    changed((tokens) => ({ ...tokens, token_type: "N_A" })),
  ),
  "token-type-in-upper-case": accepted(
    success,
    changed((tokens) => ({ ...tokens, token_type: "BEARER" })),
  ),
  "expires-in-negative": refused(
    success,
    changed((tokens) => ({ ...tokens, expires_in: "-5" })),
  ),
  "expires-in-text": refused(
    success,
    changed((tokens) => ({ ...tokens, expires_in: "abc" })),
  ),
  "expires-in-infinite": refused(success, { response: writeInfinity }),
  "tokens-with-strange-members": accepted(success, { response: writeStrangeMembers }),
  "token-status-created": refused(success, {
    response: async (response, { endpoint }) => (endpoint === "token" ? withStatus(response, 201) : response),
  }),
  "token-error": refused("RFC 6749 section 5.2", {
    response: (response, { endpoint }) => (endpoint === "token" ? errorAnswer(400) : response),
  }),
  "token-error-with-status-ok": refused("RFC 6749 section 5.2", {
    response: (response, { endpoint }) => (endpoint === "token" ? errorAnswer(200) : response),
  }),
}

function refused(source: string, effects: Effects): Fault {
  return { stage: "token", outcome: "refused", source, effects }
}

function accepted(source: string, effects: Effects): Fault {
  return { stage: "token", outcome: "accepted", source, effects }
}

function changed(change: (tokens: Members) => Members): Effects {
  return { tokens: change }
}

function errorAnswer(status: number): Response {
  return Response.json({ error: "invalid_grant", error_description: "The code is not known" }, { status })
}

async function withStatus(response: Response, status: number): Promise<Response> {
  return new Response(await response.text(), { status, headers: response.headers })
}

/** JSON numbers beyond a double become `Infinity` when they are parsed, so the text itself must hold one. */
async function writeInfinity(response: Response, { endpoint }: { endpoint: string }): Promise<Response> {
  if (endpoint !== "token") return response
  const text = (await response.text()).replace(/"expires_in":\d+/, '"expires_in":1e309')
  return new Response(text, { headers: response.headers })
}

async function writeStrangeMembers(response: Response, { endpoint }: { endpoint: string }): Promise<Response> {
  if (endpoint !== "token") return response
  const strange =
    '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"userId":"u-v","provider":"other",'
  return new Response((await response.text()).replace("{", strange), { headers: response.headers })
}
