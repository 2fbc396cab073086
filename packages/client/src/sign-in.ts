import type { ProviderType } from "@latchkey/types"
import { arrive } from "./arrive.js"
import { AuthClientError } from "./auth-client-error.js"
import type { Completion, SignInResponse } from "./completion.js"
import { type FormOptions, findCallbackUrl, toForm } from "./form.js"
import { getProviders, type Providers } from "./get-providers.js"
import { type Query, type Service, toAbsolute } from "./service.js"
import type { SessionChanges } from "./session-changes.js"

/** What is not named here is a field for the provider, such as `email`, or `username` and `password`. */
export interface SignInOptions extends FormOptions {
  readonly [field: string]: unknown
}

type SignIn = (providerId?: string, options?: SignInOptions, query?: Query) => Promise<SignInResponse | undefined>

export function createSignIn(service: Service, changes: SessionChanges): SignIn {
  const findType = createTypeFinder(service)
  return async (providerId, options = {}, query) => {
    if (!providerId) return arrive(toSignInPage(service, options, query), options)
    const [type, form] = await Promise.all([findType(providerId), toForm(options, service)])
    if (type === "webauthn") throw toPasskeyHint(providerId)
    const isProof = type === "credentials"
    const address = service.address(isProof ? "callback" : "signin", providerId, query)
    const completion = await service.submit(address, form)
    // Everybody else only begins to sign in.
    if (isProof && completion.response.error === undefined) changes.tell(options, undefined)
    return arrive(completion, options)
  }
}

function toPasskeyHint(providerId: string): AuthClientError {
  const hint = `The provider ${providerId} is of type webauthn: use signIn of @latchkey/client/webauthn`
  return new AuthClientError("passkey", hint)
}

/** Where a visitor chooses among the providers. */
function toSignInPage(service: Service, options: FormOptions, query?: Query): Completion {
  const parameters = new URLSearchParams(query)
  const callbackUrl = findCallbackUrl(options)
  if (callbackUrl !== undefined) parameters.set("callbackUrl", callbackUrl)
  const url = toAbsolute(service.address("signin", undefined, parameters))
  return { response: { error: undefined, code: undefined, status: 200, ok: true, url }, target: url }
}

/**
 * Credentials are posted to another address than the rest. The contract's own id is known; for others the service is asked
 * what it lists, once, and beside the csrf token.
 */
function createTypeFinder(service: Service): (providerId: string) => Promise<ProviderType | undefined> {
  let listed: Promise<Providers> | undefined
  return async (providerId) => {
    if (providerId === "credentials") return "credentials"
    listed ??= getProviders(service)
    try {
      const { [providerId]: provider } = await listed
      return provider?.type
    } catch (error) {
      listed = undefined
      throw error
    }
  }
}
