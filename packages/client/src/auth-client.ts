import type { AppSession } from "@latchkey/types"
import type { FormOptions, SignInOptions, SignOutOptions } from "./form-options.js"
import type { Query, SignInResponse } from "./protocol.js"
import {
  createService,
  type Providers,
  postSession,
  requestProviders,
  requestSession,
  type Service,
  type ServiceOptions,
} from "./service.js"
import { createSessionChanges, type SessionChange, type SessionChanges } from "./session-changes.js"
import { createSignIn, signOut, submitCode } from "./sign-in.js"
import type { AutofillOptions, PasskeyLoader, Passkeys } from "./webauthn/passkeys.js"

/**
 * Parameters of `getSession`, which have no effect.
 * @deprecated All tabs learn about a sign-in or sign-out when it happens.
 */
export interface GetSessionParams {
  /** The cause of the request. */
  readonly event?: string | undefined
  /** Whether the request was caused by an event. */
  readonly triggerEvent?: boolean | undefined
  /** Whether other tabs learn about the result. */
  readonly broadcast?: boolean | undefined
}

/** The client of one service. */
export interface AuthClient {
  /**
   * Signs in. With a provider that has its own pages, such as OAuth, the browser is sent there. Without a provider, it
   * is sent to the sign-in page. With a passkey provider, the browser asks for a passkey; its code is loaded the first time.
   *
   * @param authorizationParams the query of the request; OAuth providers receive it in addition to their own parameters
   * @returns undefined if the browser was redirected; with `redirect: false` the result, such as a wrong password, and what
   *   is missing to the sign-in
   * @throws AuthClientError if the request failed
   * @throws PasskeyError (`@latchkey/client/webauthn`) if the passkey did not work
   * @example const { error, next } = await signIn("credentials", { username, password, redirect: false })
   * @example await signIn("passkey", { action: "register", email: "ada@example.com", redirectTo: "/account" })
   */
  signIn(
    providerId?: string,
    options?: SignInOptions<true>,
    authorizationParams?: Query,
  ): Promise<SignInResponse | undefined>
  signIn(
    providerId: string | undefined,
    options: SignInOptions<false>,
    authorizationParams?: Query,
  ): Promise<SignInResponse>
  signIn(providerId?: string, options?: SignInOptions, authorizationParams?: Query): Promise<SignInResponse | undefined>
  /**
   * Offers passkeys in the autofill of a field whose `autocomplete` ends with `webauthn`, and signs in with the chosen
   * one. Call it once when the page opens; it waits until the user chooses or the signal aborts.
   *
   * @throws PasskeyError (`@latchkey/client/webauthn`) `unsupported` if the browser has no such autofill; `aborted` after the
   *   signal, or when `signIn` is called
   */
  signInWithAutofill(providerId: string, options?: AutofillOptions): Promise<SignInResponse | undefined>
  /**
   * Submits the code of a sign-in mail, in the browser that asked for it with `signIn`.
   *
   * @param code as the person typed it; blanks and dashes are ignored
   * @returns undefined if the browser was redirected to the page that `signIn` was given; with `redirect: false` the
   *   result. Its error is `CodeWrong` while guesses are left, else `Verification`: ask for another mail
   * @throws AuthClientError if the request failed
   * @example
   * await signIn("email", { email, redirect: false })
   * const { error } = await submitCode("email", code, { redirect: false })
   */
  submitCode(providerId: string, code: string, options?: FormOptions<true>): Promise<SignInResponse | undefined>
  submitCode(providerId: string, code: string, options: FormOptions<false>): Promise<SignInResponse>
  submitCode(providerId: string, code: string, options?: FormOptions): Promise<SignInResponse | undefined>
  /**
   * Ends the session; with `atProvider: true` the one at the provider too.
   *
   * @returns undefined if the browser was redirected; with `redirect: false` the result
   * @throws AuthClientError if the request failed; the session still exists
   */
  signOut(options?: SignOutOptions<true>): Promise<SignInResponse | undefined>
  signOut(options: SignOutOptions<false>): Promise<SignInResponse>
  signOut(options?: SignOutOptions): Promise<SignInResponse | undefined>
  /**
   * Requests the session. Null if no one is signed in.
   * @throws AuthClientError if the request failed
   */
  getSession(params?: GetSessionParams): Promise<AppSession | null>
  /**
   * Passes data to the service's `jwt` and `session` callbacks. Without data it requests the session as `getSession`
   * does.
   * @returns the updated session
   * @throws AuthClientError
   */
  updateSession(data?: unknown): Promise<AppSession | null>
  /**
   * Lists the providers by id.
   * @throws AuthClientError
   */
  getProviders(): Promise<Providers>
  /**
   * Requests a CSRF token for a form of your own. Undefined if the framework protects forms itself.
   * @throws AuthClientError
   */
  getCsrfToken(): Promise<string | undefined>
  /**
   * Calls the listener after a sign-in, a sign-out or an update of the session, by this client or in another tab.
   * @returns an unsubscribe function
   */
  onSessionChange(listener: (change: SessionChange) => void): () => void
}

/**
 * Creates a client, such as for a service that is not mounted at the default path.
 * @example export const { signIn, signOut } = createAuthClient({ basePath: "/api/auth" })
 */
export function createAuthClient(options: ServiceOptions = {}): AuthClient {
  const service = createService(options)
  const changes = createSessionChanges(service.address("session"))
  const leave = (signOutOptions?: SignOutOptions): Promise<SignInResponse | undefined> =>
    signOut(service, changes, signOutOptions)

  const submit = (providerId: string, code: string, submitOptions: FormOptions = {}) =>
    submitCode(service, changes, { providerId, code, options: submitOptions })

  async function updateSession(data?: unknown): Promise<AppSession | null> {
    const session = data === undefined ? await requestSession(service) : await postSession(service, data)
    changes.publish(session, { redirect: false })
    return session
  }

  const loadPasskeys = createPasskeyLoader(service, changes)
  const client: ServiceClient = {
    service,
    // With `redirect: false` there is always a response, which the types of the implementations cannot express.
    signIn: createSignIn(service, changes, loadPasskeys) as AuthClient["signIn"],
    signInWithAutofill: async (...args) => (await loadPasskeys()).signInWithAutofill(...args),
    submitCode: submit as AuthClient["submitCode"],
    signOut: leave as AuthClient["signOut"],
    getSession: () => requestSession(service),
    updateSession,
    getProviders: () => requestProviders(service),
    getCsrfToken: service.requestCsrfToken,
    onSessionChange: changes.subscribe,
  }
  return client
}

/** Not before it is needed, so that pages without passkeys do not load the code. */
function createPasskeyLoader(service: Service, changes: SessionChanges): PasskeyLoader {
  let passkeys: Passkeys | undefined
  return async () => {
    const { createPasskeys } = await import("./webauthn/passkeys.js")
    passkeys ??= createPasskeys(service, changes)
    return passkeys
  }
}

/** A client as `createAuthClient` makes it. */
interface ServiceClient extends AuthClient {
  readonly service: Service
}

/** What the client sends its requests with. @throws TypeError for a client that `createAuthClient` did not make */
export function getService(client: AuthClient): Service {
  if ("service" in client) return (client as ServiceClient).service
  throw new TypeError("client: must be one that createAuthClient made, such as currentClient()")
}
