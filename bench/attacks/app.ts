import {
  type Browser,
  createBrowser,
  type FakeIdentityProvider,
  fakeIdentityProvider,
  type Page,
  type Person,
} from "@latchkey/testkit"

/** A library under attack. */
export interface Peer {
  readonly id: PeerId
  /** The npm package. */
  readonly packageName: string
  /** What the library does not do, with the words for the table. */
  readonly lacks: Readonly<Partial<Record<Ability, string>>>
  /** Starts an empty app with the configuration that the library's documentation recommends for production. */
  open(options: AppOptions): Promise<App>
}

export const peerIds = ["latchkey", "auth-core", "better-auth", "iron-session"] as const
export type PeerId = (typeof peerIds)[number]

/** What an attack needs. */
export type Ability = "provider" | "mail" | "password" | "linking" | "limits" | "totp" | "refresh" | "stored" | "forms"

export interface AppOptions {
  readonly idp: FakeIdentityProvider
  /** The user whose password the app knows. */
  readonly alice: KnownPerson
  /** Where sessions are. Default: `stored`, where the library has a choice. */
  readonly session: "stateless" | "stored"
  /** Whether Alice has a password. Default: false. */
  readonly hasPassword: boolean
  /** The URL of a picture in the session. Default: none. */
  readonly picture?: string
}

/** An app with one OpenID provider, mailed links and passwords, as far as the library has them. */
export interface App {
  handle(request: Request): Promise<Response>
  /** Begins a sign-in. @returns the URL of the provider's authorization endpoint */
  startSignIn(browser: Browser, callbackUrl?: string): Promise<URL>
  /** @returns the link in the mail */
  mailLink(browser: Browser, email: string): Promise<URL>
  /** Tries the password. @returns whether the browser is signed in afterwards */
  signInWithPassword(browser: Browser, email: string, password: string): Promise<boolean>
  /** The user whose session the browser has. */
  whoIs(browser: Browser): Promise<User | null>
  signOut(browser: Browser): Promise<void>
  /** The sign-out form of another site, without a token of the app. */
  forgeSignOut(): { readonly path: string; readonly fields: Readonly<Record<string, string>> }
  /** A path that reads a body, for an anonymous visitor. */
  readonly openPath: string
  /** The name of the session cookie. */
  readonly sessionCookie: string
  /** The session tokens in the database, as a leak shows them. */
  leakedTokens(): readonly string[]
  /** Present where the library has second factors. */
  readonly totp?: SecondFactor
  /**
   * Present where the library refreshes the provider's tokens.
   * @param instance Which of three instances of the app is asked. They share the database. Default: 0.
   * @returns whether it has a fresh access token
   */
  readonly refresh?: (browser: Browser, instance?: number) => Promise<boolean>
}

export type KnownPerson = Person & { readonly name: string; readonly email: string }

export interface User {
  readonly id: string
  readonly email: string
}

export interface SecondFactor {
  /** Turns it on for a signed-in user with a password. @returns a function that returns the current code */
  enroll(browser: Browser, password: string): Promise<() => Promise<string>>
  /** The second step, after the password. @returns whether the code was accepted */
  verify(browser: Browser, code: string): Promise<boolean>
}

export const origin = "https://app.test"
export const secret = "compare-secret-of-more-than-thirty-two-characters"
/** The proxy in front of every app, which appends the sender's address to `X-Forwarded-For` as nginx does. */
export const proxyAddress = "10.0.0.1"

export const alicePassword = "correct horse battery staple"

/** An app under attack, with the people around it. */
export interface Scene extends App {
  readonly idp: FakeIdentityProvider
  readonly alice: KnownPerson
  /** The attacker, who has an account at the provider too. */
  readonly mallory: KnownPerson
  /** Opens a browser with a network address of its own. `origin`: the address under which it reaches the app. */
  newBrowser(options?: { readonly origin?: string }): Browser
  /** Answers an authorization request as a person. @returns the URL that the provider redirects to */
  authorize(url: URL, person: Person): Promise<URL>
  /** A complete sign-in at the provider. */
  signIn(browser: Browser, person: Person, callbackUrl?: string): Promise<Page>
  /** Signs Alice in: at the provider, or with her password where the library has no providers. */
  signInAlice(browser: Browser): Promise<void>
}

const providers = new Map<string, FakeIdentityProvider>()
const realFetch = globalThis.fetch

/** Libraries call their provider with the global `fetch`. It reaches the fake ones only. */
globalThis.fetch = async (input, init) => {
  const request = new Request(input, init)
  const found = providers.get(new URL(request.url).origin)
  return found ? found.fetch(request, init) : realFetch(request)
}

/** Starts a provider that the libraries reach. */
export function openProvider(issuer: string): FakeIdentityProvider {
  const idp = fakeIdentityProvider({ issuer })
  providers.set(idp.origin, idp)
  return idp
}

let count = 0

export async function openScene(peer: Peer, options: Partial<AppOptions> = {}): Promise<Scene> {
  count += 1
  const idp = openProvider(`https://idp-${count}.test`)
  // Limits count by address, in some libraries for the whole process.
  const createPerson = (name: string) => ({
    sub: name,
    name,
    email: `${name.toLowerCase()}-${count}@example.com`,
    email_verified: true,
  })
  const [alice, mallory] = [createPerson("Alice"), createPerson("Mallory")]
  const app = await peer.open({
    idp,
    alice,
    session: "stored",
    hasPassword: peer.lacks.provider !== undefined,
    ...options,
  })
  let browsers = 0

  function newBrowser({ origin: address = origin } = {}): Browser {
    browsers += 1
    const network = `198.51.${count % 250}.${browsers}`
    return createBrowser({ handler: (request) => app.handle(throughProxy(request, network)), origin: address })
  }

  async function authorize(url: URL, person: Person): Promise<URL> {
    idp.signInAs(person)
    const location = (await idp.handler(new Request(url))).headers.get("location")
    if (location === null) throw new Error(`${peer.id}: the provider refused the authorization request ${url}`)
    return new URL(location)
  }

  async function signIn(browser: Browser, person: Person, callbackUrl?: string): Promise<Page> {
    return browser.open(await authorize(await app.startSignIn(browser, callbackUrl), person), { from: idp.origin })
  }

  async function signInAlice(browser: Browser): Promise<void> {
    if (peer.lacks.provider === undefined) await signIn(browser, { ...alice, picture: options.picture ?? "" })
    else await app.signInWithPassword(browser, alice.email, alicePassword)
    const found = await app.whoIs(browser)
    if (found?.email !== alice.email)
      throw new Error(`${peer.id}: Alice cannot sign in, the session is ${JSON.stringify(found)}`)
  }

  return { ...app, idp, alice, mallory, newBrowser, authorize, signIn, signInAlice }
}

/** Appends the address of the client, which keeps what the client claims. */
export function throughProxy(request: Request, address: string): Request {
  const claimed = request.headers.get("x-forwarded-for")
  request.headers.set("x-forwarded-for", claimed === null ? address : `${claimed}, ${address}`)
  return request
}

/**
 * The link of a mail, which some libraries send after they have answered.
 * @throws when no mail arrives within two seconds
 */
export async function waitForMail(find: () => string | undefined): Promise<URL> {
  for (let tries = 0; tries < 100; tries++) {
    const link = find()
    if (link !== undefined) return new URL(link)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error("No mail arrived")
}

/** Copies every cookie of a browser, as malware on the device does. */
export function copyCookies(from: Browser, to: Browser): void {
  for (const { name, value, ...attributes } of from.cookies.list()) to.cookies.set(name, value, attributes)
}

/** The redirect to the authorization endpoint, from a response that redirects or names the URL. */
export async function readTarget(response: Response): Promise<URL> {
  const location = response.headers.get("location")
  if (location !== null) return new URL(location, origin)
  const { url } = (await response.json()) as { url?: string }
  if (url === undefined) throw new Error(`The response with status ${response.status} names no URL`)
  return new URL(url, origin)
}
