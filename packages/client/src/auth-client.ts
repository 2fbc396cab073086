import type { Session } from "@latchkey/types"
import type { SignInResponse } from "./completion.js"
import type { FormOptions } from "./form.js"
import { getProviders, type Providers } from "./get-providers.js"
import { getSession, postSession } from "./get-session.js"
import { createService, type Query, type ServiceOptions } from "./service.js"
import { type SessionChange, sessionChanges } from "./session-changes.js"
import { createSignIn, type SignInOptions } from "./sign-in.js"
import { signOut } from "./sign-out.js"

type Staying<O> = O & { readonly redirect: false }

/** The service, as a page uses it. */
export interface AuthClient {
  /**
   * Signs in, or begins to: with a provider that has pages of its own the browser is sent there. Without a provider it
   * goes to the sign-in page.
   *
   * @param authorizationParams query of the request, which an OAuth provider gets beside its own parameters
   * @returns undefined when the browser was sent on; with `redirect: false` what came of it, a wrong password included
   * @throws AuthClientError when the service could not be asked
   * @example await signIn("credentials", { username, password, redirect: false })
   */
  signIn(
    providerId: string | undefined,
    options: Staying<SignInOptions>,
    authorizationParams?: Query,
  ): Promise<SignInResponse>
  signIn(providerId?: string, options?: SignInOptions, authorizationParams?: Query): Promise<SignInResponse | undefined>
  /**
   * Ends the session.
   *
   * @returns undefined when the browser was sent on; with `redirect: false` what came of it
   * @throws AuthClientError when the service could not be asked; the session goes on
   */
  signOut(options: Staying<FormOptions>): Promise<SignInResponse>
  signOut(options?: FormOptions): Promise<SignInResponse | undefined>
  /**
   * Null when nobody is signed in.
   * @throws AuthClientError when the service could not say
   */
  getSession(): Promise<Session | null>
  /**
   * Hands data to the `jwt` and `session` callbacks of the service. Without data it asks as `getSession` does.
   * @returns the session as it is now
   * @throws AuthClientError
   */
  updateSession(data?: unknown): Promise<Session | null>
  /** @throws AuthClientError */
  getProviders(): Promise<Providers>
  /**
   * For a form of your own. Undefined where the framework protects its forms itself.
   * @throws AuthClientError
   */
  getCsrfToken(): Promise<string | undefined>
  /**
   * Calls when somebody signs in or out or the session is updated: by this client, or in another tab.
   * @returns what ends it
   */
  onSessionChange(listener: (change: SessionChange) => void): () => void
}

/**
 * A client for a service that is not mounted at `/auth`.
 * @example export const { signIn, signOut } = createAuthClient({ basePath: "/api/auth" })
 */
export function createAuthClient(options: ServiceOptions = {}): AuthClient {
  const service = createService(options)
  const changes = sessionChanges(service.address("session"))
  const leave = (wish?: FormOptions): Promise<SignInResponse | undefined> => signOut(service, changes, wish)

  async function updateSession(data?: unknown): Promise<Session | null> {
    const session = data === undefined ? await getSession(service) : await postSession(service, data)
    changes.tell({ redirect: false }, session)
    return session
  }

  return {
    // With `redirect: false` there always is an answer, which the implementations' types do not tell.
    signIn: createSignIn(service, changes) as AuthClient["signIn"],
    signOut: leave as AuthClient["signOut"],
    getSession: () => getSession(service),
    updateSession,
    getProviders: () => getProviders(service),
    getCsrfToken: service.requestCsrfToken,
    onSessionChange: changes.watch,
  }
}
