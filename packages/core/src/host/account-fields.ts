import type { TokenSet } from "../types/user.js"

/** Fields that usually name an account in the forms of credentials providers. */
export const accountFields = ["username", "email", "login", "user", "identifier", "phone"] as const

/**
 * Other names of such fields, for forms that the app does not declare. None of them may name a company or a tenant:
 * guesses at one of its accounts would then count for all.
 */
const otherAccountFields = [
  ...["userName", "user_name", "userId", "user_id", "userid", "loginId", "login_id", "loginName", "handle", "nickname"],
  ...["emailAddress", "email_address", "mail", "phoneNumber", "phone_number", "mobile", "mobileNumber", "tel"],
  ...["memberId", "member_id", "employeeId", "employee_id"],
] as const

/** All fields that usually name an account. */
export const allAccountFields: readonly string[] = [...accountFields, ...otherAccountFields]

const storedFields = [
  "access_token",
  "id_token",
  "refresh_token",
  "expires_at",
  "scope",
  "token_type",
  "session_state",
] as const

/** The `account` callback of a provider that has none: the token fields for which stores have columns. */
export function defaultAccount(tokens: TokenSet): TokenSet {
  return Object.fromEntries(
    storedFields.filter((field) => tokens[field] !== undefined).map((field) => [field, tokens[field]]),
  )
}
