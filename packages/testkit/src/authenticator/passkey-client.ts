import type { Browser } from "../browser/browser.js"
import type { SoftwareAuthenticator } from "./software-authenticator.js"
import type { CreationOptionsJson, Misbehaviour, RequestOptionsJson } from "./webauthn-types.js"

type Fields = Readonly<Record<string, string>>

/** Whose browser and device, and at which provider. */
export interface PasskeyClientOptions {
  readonly browser: Browser
  readonly device: SoftwareAuthenticator
  /** Default: `passkey`. */
  readonly providerId?: string
  /** Default: `/auth`. */
  readonly basePath?: string
  /** Where to go afterwards. Default: `/in`. */
  readonly callbackUrl?: string
}

/** The browser side of passkeys, as client libraries have it. Redirects are not followed. */
export interface PasskeyClient {
  /** Asks for options. */
  ask(query: Fields): Promise<Response>
  /** The options for making a passkey. @throws Error when there are none */
  creation(fields?: Fields): Promise<CreationOptionsJson>
  /** The options for using one. @throws Error when there are none */
  request(fields?: Fields): Promise<RequestOptionsJson>
  /** Sends what the device answered, or anything else. */
  finish(action: "register" | "authenticate", answer: unknown): Promise<Response>
  /** Makes a passkey for whoever is signed in, or for a new person of that address. */
  register(email?: string, misbehaviour?: Misbehaviour): Promise<Response>
  /** Nothing is typed unless an address is given. */
  signIn(misbehaviour?: Misbehaviour, email?: string): Promise<Response>
}

/**
 * @example
 * const client = passkeyClient({ browser, device: softwareAuthenticator() })
 * await client.register("ada@example.com")
 * expect((await browser.session())?.user?.email).toBe("ada@example.com")
 */
export function passkeyClient(options: PasskeyClientOptions): PasskeyClient {
  const { browser, device, providerId = "passkey", basePath = "/auth", callbackUrl = "/in" } = options
  const ask = (query: Fields) =>
    browser.fetch(`${basePath}/webauthn-options/${providerId}?${new URLSearchParams(query)}`)

  async function offered(query: Fields): Promise<unknown> {
    const answer = await ask(query)
    if (answer.status !== 200) throw new Error(`No options, but status ${answer.status}`)
    return Reflect.get(Object(await answer.json()), "options")
  }

  // The device looks at what it is asked for.
  const creation = async (fields: Fields = {}) =>
    (await offered({ action: "register", ...fields })) as CreationOptionsJson
  const request = async (fields: Fields = {}) =>
    (await offered({ action: "authenticate", ...fields })) as RequestOptionsJson

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
    register: async (email, misbehaviour) =>
      finish("register", await device.create(await creation(toFields(email)), misbehaviour)),
    signIn: async (misbehaviour, email) =>
      finish("authenticate", await device.get(await request(toFields(email)), misbehaviour)),
  }
}
