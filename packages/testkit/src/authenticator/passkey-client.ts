import type { Browser } from "../browser/browser.js"
import type { SoftwareAuthenticator } from "./software-authenticator.js"
import type { CreationOptionsJson, Misbehavior, RequestOptionsJson } from "./webauthn-types.js"

type Fields = Readonly<Record<string, string>>

/** Options of {@link passkeyClient}. */
export interface PasskeyClientOptions {
  readonly browser: Browser
  readonly device: SoftwareAuthenticator
  /** Default: `passkey`. */
  readonly providerId?: string | undefined
  /** Default: `/auth`. */
  readonly basePath?: string | undefined
  /** Where to go after the sign-in. Default: `/in`. */
  readonly callbackUrl?: string | undefined
}

/** The browser side of passkeys, as client libraries implement it. Redirects are not followed. */
export interface PasskeyClient {
  /** Requests options, and returns the response. */
  ask(query: Fields): Promise<Response>
  /** Fetches registration options. @throws Error if the service refuses them */
  creation(fields?: Fields): Promise<CreationOptionsJson>
  /** Fetches authentication options. @throws Error if the service refuses them */
  request(fields?: Fields): Promise<RequestOptionsJson>
  /** Sends the authenticator's response, or any other data, to the callback. */
  finish(action: "register" | "authenticate", answer: unknown): Promise<Response>
  /** Registers a passkey for the signed-in user, or for a new user with this email. */
  register(email?: string, misbehavior?: Misbehavior): Promise<Response>
  /** Signs in with a passkey. Without an email, the user is found by the passkey. */
  signIn(misbehavior?: Misbehavior, email?: string): Promise<Response>
}

/**
 * Creates a client that registers and uses passkeys in a test browser.
 * @example
 * const client = passkeyClient({ browser, device: softwareAuthenticator() })
 * await client.register("ada@example.com")
 * expect((await browser.session())?.user?.email).toBe("ada@example.com")
 */
export function passkeyClient(options: PasskeyClientOptions): PasskeyClient {
  const { browser, device, providerId = "passkey", basePath = "/auth", callbackUrl = "/in" } = options
  const ask = (query: Fields) =>
    browser.fetch(`${basePath}/webauthn-options/${providerId}?${new URLSearchParams(query)}`)

  async function fetchOptions(query: Fields): Promise<unknown> {
    const answer = await ask(query)
    if (answer.status !== 200) throw new Error(`The service sent no options, but status ${answer.status}`)
    return Reflect.get(Object(await answer.json()), "options")
  }

  // as: the authenticator reads only what the types name
  const creation = async (fields: Fields = {}) =>
    (await fetchOptions({ action: "register", ...fields })) as CreationOptionsJson
  const request = async (fields: Fields = {}) =>
    (await fetchOptions({ action: "authenticate", ...fields })) as RequestOptionsJson

  const finish: PasskeyClient["finish"] = async (action, answer) => {
    const csrfToken = await browser.csrfToken()
    const body = new URLSearchParams({ csrfToken, callbackUrl, action, data: JSON.stringify(answer) })
    return browser.fetch(`${basePath}/callback/${providerId}`, { method: "POST", body })
  }
  const toFields = (email: string | undefined): Fields => (email === undefined ? {} : { email })

  return {
    ask,
    creation,
    request,
    finish,
    register: async (email, misbehavior) =>
      finish("register", await device.create(await creation(toFields(email)), misbehavior)),
    signIn: async (misbehavior, email) =>
      finish("authenticate", await device.get(await request(toFields(email)), misbehavior)),
  }
}
