import { createSealer } from "../crypto/seal.js"
import { allAccountFields } from "../host/account-fields.js"
import { clearedCookie } from "../http/cookies.js"
import { ownCookies, pageShares } from "../http/own-cookies.js"
import { type AuthRequest, findField } from "../http/request.js"
import { getMethod } from "../methods/find-method.js"
import { fieldAttributes } from "../pages/form.js"
import type { ResponseCookie } from "../types/http.js"
import type { CredentialInput } from "../types/providers.js"
import type { ActionContext } from "./feature.js"
import { toPageCookie } from "./page.js"

// What a visitor typed into a form that failed, so that the sign-in page can show it again. A sealed cookie carries it:
// addresses and user names must not appear in URLs.

/** What was typed into one form. */
interface FormValues {
  /** Empty if they are who signs in, without a form yet. */
  readonly providerId: string
  /** By field name. */
  readonly typed: Readonly<Record<string, string>>
}

const { seal: purpose, seconds: stepSeconds } = ownCookies.formValues
/** Long enough to load the sign-in page. */
const maxAgeSeconds = 60
const maxFields = 5
const maxValueLength = 200

/** The cookie with what was typed. None for a form without fields to keep. */
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

/** The cookie with who signs in, for the second step of the sign-in page. None if the form does not say it. */
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
  const cookie = toPageCookie("formValues", request, context, claims.providerId === "" ? stepSeconds : maxAgeSeconds)
  // A sibling subdomain could plant values that were sealed in its own browser, but not the cookie of the token on https.
  const { token } = await context.csrf.issue(request.cookies)
  const value = await createSealer(context.secrets).seal(purpose, { ...claims, token }, cookie.options.maxAge ?? 0)
  // It is not worth what it would take from a session.
  return cookie.name.length + value.length > pageShares.formValues ? [] : [{ ...cookie, value }]
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

/** What was typed before the sign-in failed, and the cookie that forgets it. Who signs in stays, for a reload of the page. */
export async function takeFormValues(
  request: AuthRequest,
  context: ActionContext,
): Promise<{ readonly values: FormValues | null; readonly cookies: readonly ResponseCookie[] }> {
  const cleared = forgetFormValues(request, context)
  const text = request.cookies.get(cleared.name)
  if (text === undefined) return { values: null, cookies: [] }
  const claims = await createSealer(context.secrets).open(purpose, text)
  const { token } = await context.csrf.issue(request.cookies)
  // as: only `seal` above seals for this purpose.
  const values = claims?.["token"] === token ? (claims as FormValues | null) : null
  return { values, cookies: values?.providerId === "" ? [] : [cleared] }
}

/** Clears what was typed. */
export function forgetFormValues(request: AuthRequest, context: ActionContext): ResponseCookie {
  return clearedCookie(toPageCookie("formValues", request, context, 0))
}
