import type { Fault, Members } from "./fault.js"
import { without } from "./members.js"

export type UserinfoFaultName =
  | "userinfo-sub-wrong"
  | "userinfo-sub-missing"
  | "userinfo-sub-empty"
  | "userinfo-sub-zero"
  | "userinfo-sub-null"
  | "userinfo-sub-object"
  | "userinfo-sub-list"
  | "userinfo-error-with-status-ok"

/** What can be wrong with the answer of the userinfo endpoint. A wrong `sub` shows only beside an ID token. */
export const userinfoFaults: Readonly<Record<UserinfoFaultName, Fault>> = {
  "userinfo-sub-wrong": refused((given) => ({ ...given, sub: "somebody-else" })),
  "userinfo-sub-missing": refused((given) => without(given, "sub")),
  "userinfo-sub-empty": refused((given) => ({ ...given, sub: "" })),
  "userinfo-sub-zero": refused((given) => ({ ...given, sub: 0 })),
  "userinfo-sub-null": refused((given) => ({ ...given, sub: null })),
  "userinfo-sub-object": refused((given) => ({ ...given, sub: { id: given["sub"] } })),
  "userinfo-sub-list": refused((given) => ({ ...given, sub: [given["sub"]] })),
  "userinfo-error-with-status-ok": refused(() => ({
    error: "invalid_token",
    error_description: "The token is not known",
  })),
}

function refused(change: (given: Members) => Members): Fault {
  return {
    stage: "userinfo",
    outcome: "refused",
    source: "OpenID Connect Core 1.0 section 5.3.2",
    effects: { userinfo: change },
  }
}
