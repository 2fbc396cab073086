import { createSealer } from "../crypto/seal.js"
import { allAccountFields } from "../host/account-fields.js"
import { clearedCookie } from "../http/cookies.js"
import { ownCookies, pageShares } from "../http/own-cookies.js"
import { type AuthRequest, findField } from "../http/request.js"
import { getMethod } from "../methods/find-method.js"
import { isOwnPassword } from "../methods/reauthentication.js"
import { fieldAttributes } from "../pages/form.js"
import type { CookieOption, ResponseCookie } from "../types/http.js"
import type { CredentialInput } from "../types/providers.js"
import type { ActionContext } from "./feature.js"
import { toPageCookie } from "./page.js"

// What a visitor typed into a form that failed, so that the sign-in page can show it again, also when it is reloaded. The pages
// for a forgotten password and for a new account begin with the same address. A sealed cookie carries it: addresses and user
// names must not appear in URLs.

/** What was typed into one form. */
interface FormValues {
  /** Empty if they are who signs in, without a form yet. */
  readonly providerId: string
  /** By field name. */
  readonly typed: Readonly<Record<string, string>>
}

const { seal: purpose, seconds: longestSeconds } = ownCookies.formValues
/** Where no feature forgets what was typed when a session starts: the next person at a shared computer must not see it. */
const shortSeconds = longestSeconds / 2
const maxFields = 5
const maxValueLength = 200

/** The cookies with what was typed. None for a form without fields to keep. */
export async function keepFormValues(request: AuthRequest, context: ActionContext): Promise<readonly ResponseCookie[]> {
  const provider = await context.findProvider(request.providerId)
  if (!provider) return []
  const form = await getMethod(provider).form(provider, { signinUrl: "", callbackUrl: "", toUrl: () => "" })
  const fields = form.kind === "email" ? { email: {} } : form.kind === "fields" ? form.fields : {}
  const kept = Object.entries(fields)
    .filter(([name, field]) => isHarmless(name, field))
    .map(([name]) => [name, findField(request, name) ?? ""] as const)
    .filter(([, value]) => value !== "" && value.length <= maxValueLength)
  if (kept.length === 0) return []
  return seal({ providerId: provider.id, typed: Object.fromEntries(kept.slice(0, maxFields)) }, request, context)
}

/** The cookies with who signs in, for the second step of the sign-in page. None if the form does not say it. */
export async function keepPerson(request: AuthRequest, context: ActionContext): Promise<readonly ResponseCookie[]> {
  const email = findField(request, "email")?.trim() ?? ""
  if (email === "" || email.length > maxValueLength) return []
  return seal({ providerId: "", typed: { email } }, request, context)
}

async function seal(
  claims: FormValues,
  request: AuthRequest,
  context: ActionContext,
): Promise<readonly ResponseCookie[]> {
  const maxAge = claims.providerId === "" || hasPasswords(context) ? longestSeconds : shortSeconds
  // A sibling subdomain could plant values that were sealed in its own browser, but not the cookie of the token on https.
  const { token } = await context.csrf.issue(request.cookies)
  const value = await createSealer(context.secrets).seal(purpose, { ...claims, token }, maxAge)
  const cookies = listCookies(request, context, maxAge)
  // It is not worth what it would take from a session.
  return cookies.every(({ name }) => name.length + value.length <= pageShares.formValues)
    ? cookies.map((cookie) => ({ ...cookie, value }))
    : []
}

const hasPasswords = ({ providers }: Pick<ActionContext, "providers">) => [...providers.values()].some(isOwnPassword)

/** One for each page that shows the values. No request has two of them. */
function listCookies(request: AuthRequest, context: ActionContext, maxAge: number): readonly CookieOption[] {
  const pages = hasPasswords(context) ? (["signin", "password"] as const) : (["signin"] as const)
  return pages.map((page) => toPageCookie("formValues", request, context, { maxAge, page }))
}

/** Inputs whose text is visible while it is typed. */
const visibleTypes: ReadonlySet<string> = new Set(["text", "email", "tel", "url", "search"])

/** Autofill fields that hold no secret, HTML Living Standard section 4.10.18.7.1. */
const harmlessAutofill: ReadonlySet<string> = new Set(["username", "email", "tel", "name", "nickname", "organization"])

/** Whether a field is known to hold no secret. Any other, such as a customer's PIN, is typed again. */
function isHarmless(name: string, field: CredentialInput): boolean {
  const { type, autocomplete = "" } = fieldAttributes(name, field)
  if (!visibleTypes.has(String(type).toLowerCase())) return false
  const hint = String(autocomplete).split(" ")[0] ?? ""
  return hint === "" ? allAccountFields.includes(name) : harmlessAutofill.has(hint)
}

/** What was typed before, and cookies that forget values which cannot be read. */
export async function readFormValues(
  request: AuthRequest,
  context: ActionContext,
): Promise<{ readonly values: FormValues | null; readonly cookies: readonly ResponseCookie[] }> {
  const cleared = forgetFormValues(request, context)
  const text = cleared[0] && request.cookies.get(cleared[0].name)
  if (text === undefined) return { values: null, cookies: [] }
  const claims = await createSealer(context.secrets).open(purpose, text)
  const { token } = await context.csrf.issue(request.cookies)
  // as: only `seal` above seals for this purpose.
  const values = claims?.["token"] === token ? (claims as FormValues | null) : null
  return { values, cookies: values ? [] : cleared }
}

/** The address that was typed on the sign-in page. Undefined if none was, or a user name. */
export async function findTypedAddress(request: AuthRequest, context: ActionContext): Promise<string | undefined> {
  const { values } = await readFormValues(request, context)
  const typed = values?.typed["email"]
  return typed?.includes("@") ? typed : undefined
}

/** Clears what was typed. */
export function forgetFormValues(request: AuthRequest, context: ActionContext): readonly ResponseCookie[] {
  return listCookies(request, context, 0).map(clearedCookie)
}
