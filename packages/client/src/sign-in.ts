import type { ProviderType } from "@latchkey/types"
import type { FormOptions, SignInOptions, SignOutOptions } from "./form-options.js"
import {
  type Completion,
  followCompletion,
  type Query,
  type SignInResponse,
  type SignInStep,
  withoutError,
} from "./protocol.js"
import { type Providers, requestProviders, type Service, toAbsoluteUrl } from "./service.js"
import type { SessionChanges } from "./session-changes.js"
import type { PasskeyLoader } from "./webauthn/passkeys.js"

type SignIn = (providerId?: string, options?: SignInOptions, query?: Query) => Promise<SignInResponse | undefined>

export function createSignIn(service: Service, changes: SessionChanges, loadPasskeys: PasskeyLoader): SignIn {
  const findType = createTypeFinder(service)
  return async (providerId, options = {}, query) => {
    if (!providerId) return followCompletion(toSignInPage(service, options, query), options)
    // At once: browsers prompt only for a short time after a click.
    if (findKnownType(providerId) === "webauthn") return (await loadPasskeys()).signIn(providerId, options, query)
    const [type, form] = await Promise.all([findType(providerId), toForm(options, service)])
    if (type === "webauthn") {
      return (await loadPasskeys()).signIn(providerId, { ...Object.fromEntries(form), ...options }, query)
    }
    // A browser that is sent on goes where the visitor can choose; a caller that stays gets the error of the service.
    if (type === undefined && options.redirect !== false) {
      return followCompletion(toSignInPage(service, options, query), options)
    }
    const isCredentials = type === "credentials"
    const address = service.address(isCredentials ? "callback" : "signin", providerId, query)
    const completion = await service.submit(address, form, (target) => toStep(target, providerId, type))
    // With any other provider, the form only begins the sign-in.
    if (isCredentials && completion.response.error === undefined) changes.publish(undefined, options)
    return followCompletion(completion, options)
  }
}

/** What is missing after a provider accepted its form. */
function toStep({ searchParams }: URL, providerId: string, type: ProviderType | undefined): SignInStep | null {
  if (type === "oauth" || type === "oidc") return "redirect"
  // The query of the page that asks to open the mail, also of the app's own one.
  return searchParams.get("type") === "email" && searchParams.get("provider") === providerId ? "email" : null
}

/** `POST /callback/<id>` with the code of a mail. */
export async function submitCode(
  service: Service,
  changes: SessionChanges,
  { providerId, code, options }: SubmittedCode,
): Promise<SignInResponse | undefined> {
  const form = await toForm({ ...options, code }, service)
  const completion = await service.submit(service.address("callback", providerId), form)
  if (completion.response.error === undefined) changes.publish(undefined, options)
  return followCompletion(completion, options)
}

interface SubmittedCode {
  readonly providerId: string
  readonly code: string
  readonly options: FormOptions
}

/** `POST /signout`. */
export async function signOut(
  service: Service,
  changes: SessionChanges,
  options: SignOutOptions = {},
): Promise<SignInResponse | undefined> {
  const completion = await service.submit(service.address("signout"), await toForm(options, service))
  if (completion.response.error === undefined) changes.publish(null, options)
  return followCompletion(completion, options)
}

/** The page where the visitor chooses a provider. */
function toSignInPage(service: Service, options: FormOptions, query?: Query): Completion {
  const parameters = new URLSearchParams(query)
  const callbackUrl = findCallbackUrl(options)
  if (callbackUrl !== undefined) parameters.set("callbackUrl", callbackUrl)
  const url = toAbsoluteUrl(service.address("signin", undefined, parameters))
  return { response: { error: undefined, code: undefined, status: 200, ok: true, url, next: "redirect" }, target: url }
}

/** The type of an id that the contract fixes. */
function findKnownType(providerId: string): ProviderType | undefined {
  if (providerId === "credentials") return providerId
  return ["passkey", "webauthn"].includes(providerId) ? "webauthn" : undefined
}

/**
 * Looks up a provider's type, since credentials are posted to another address than the rest, and passkeys need the browser.
 * For an id that is not fixed, the service's list is requested once, in parallel with the CSRF token.
 */
function createTypeFinder(service: Service): (providerId: string) => Promise<ProviderType | undefined> {
  let listed: Promise<Providers> | undefined
  return async (providerId) => {
    const known = findKnownType(providerId)
    if (known) return known
    listed ??= requestProviders(service)
    try {
      const providers = await listed
      return Object.hasOwn(providers, providerId) ? providers[providerId]?.type : undefined
    } catch (error) {
      listed = undefined
      throw error
    }
  }
}

const ownOptions: ReadonlySet<string> = new Set(["redirectTo", "callbackUrl", "redirect", "csrfToken"])

/** The form to post, with a CSRF token if the service requires one. Values that a form cannot hold are left out. */
async function toForm(options: FormOptions & { readonly code?: string }, service: Service): Promise<URLSearchParams> {
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(options)) {
    const isFormValue = ["string", "number", "boolean"].includes(typeof value)
    if (!ownOptions.has(name) && isFormValue) form.append(name, String(value))
  }
  const callbackUrl = findCallbackUrl(options)
  if (callbackUrl !== undefined) form.set("callbackUrl", callbackUrl)
  const csrfToken = options.csrfToken ?? (await service.requestCsrfToken())
  if (csrfToken !== undefined) form.set("csrfToken", csrfToken)
  return form
}

/** Undefined outside of a page. */
function findCallbackUrl({ redirectTo, callbackUrl }: FormOptions): string | undefined {
  const target = redirectTo ?? callbackUrl ?? globalThis.location?.href
  return target === undefined ? undefined : withoutError(target)
}
