// An app with passwords and second factors, which every library in this table offers.
import { type AuthenticatorApp, type Browser, createBrowser, type FakeIdentityProvider } from "@latchkey/testkit"
import { openProvider, origin, throughProxy } from "../app.ts"

/** A library under attack. */
export interface RulePeer {
  readonly id: RulePeerId
  /** The npm package whose version is shown. */
  readonly packageName: string
  /** What the library does not offer, in the words of the table. */
  readonly lacks: Readonly<Partial<Record<RuleAbility, string>>>
  /** Starts an empty app with the configuration that the library's documentation recommends for production. */
  open(options: RuleAppOptions): Promise<RuleApp>
}

export const rulePeerIds = ["latchkey", "better-auth", "accounts-js"] as const
export type RulePeerId = (typeof rulePeerIds)[number]

/** What an attack needs. */
export type RuleAbility =
  | "provider"
  | "mailedLink"
  | "pending"
  | "recovery"
  | "remember"
  | "policy"
  | "update"
  | "passkey"

export interface RuleAppOptions {
  readonly idp: FakeIdentityProvider
}

export interface Mail {
  readonly to: string
  readonly subject: string
  /** The first URL of the text. */
  readonly link: string
}

/** A user with an authenticator app. */
export interface Enrolled {
  readonly app: AuthenticatorApp
  /** The key of the app. */
  readonly key: string
  /** Empty where the library has none. */
  readonly recoveryCodes: readonly string[]
}

interface Proofs {
  readonly email: string
  readonly password: string
  readonly code: string
}

/** An app with sign-up, sign-in, reset and change of passwords, mailed links, a provider, and second factors. */
export interface RuleApp {
  handle(request: Request): Promise<Response>
  /** All mails, oldest first. */
  readonly mails: readonly Mail[]
  signUp(browser: Browser, email: string, password: string): Promise<Response>
  /** Opens the link of a sign-up as the reader of the mail, in another browser. Chooses a password if asked. */
  openSignUpLink(browser: Browser, link: string, password: string): Promise<void>
  signIn(browser: Browser, email: string, password: string): Promise<Response>
  signOut(browser: Browser): Promise<unknown>
  /** The address of the user whose session the browser has. */
  whoIs(browser: Browser): Promise<string | null>
  /** Asks for a mail to choose a new password. `callbackUrl`: where its link should lead. */
  forgot(browser: Browser, email: string, callbackUrl?: string): Promise<Response>
  /** Chooses a new password with the link of a mail. */
  reset(browser: Browser, link: string, password: string): Promise<Response>
  /** Changes the password of the signed-in user, and ends other sessions if the library has that option. */
  change(browser: Browser, current: string, password: string): Promise<Response>
  /** Sets up an authenticator app for the signed-in user. */
  enroll(browser: Browser, password: string): Promise<Enrolled>
  /** Enters a code in the pending sign-in of the browser. */
  verify(browser: Browser, code: string, options?: { readonly isRemembered: boolean }): Promise<Response>
  verifyRecoveryCode?(browser: Browser, code: string): Promise<Response>
  /** Removes the second factor of the signed-in user. Libraries ask for the password, a code or neither. */
  removeFactor(browser: Browser, password: string, code: string): Promise<Response>
  /** Requires a second factor for every user from now on. */
  demandFactor?(): void
  /** Signs in by a mailed link. */
  signInByMail?(browser: Browser, email: string): Promise<void>
  /** Begins a sign-in at the provider. @returns the URL of the authorization endpoint */
  startSignIn?(browser: Browser): Promise<URL>
  /** Sends an update that tries to turn the second factor off or to raise the session's level. */
  forgeUpdate?(browser: Browser): Promise<void>
  /** Replaces the recovery codes of the signed-in user. @returns the new ones; empty if they were refused */
  renewCodes?(browser: Browser, password: string): Promise<readonly string[]>
  /** Adds a passkey for the signed-in user. */
  addPasskey?(browser: Browser): Promise<void>
  /** Sets up an authenticator app where a sign-in asks for a second factor that the user does not have. */
  enrollAtSignIn?(browser: Browser): Promise<void>
  /** How often the app has called its database. */
  countCalls(): number
  /** Everything that a signed-in user with password and code can read about the second factor. */
  readFactors(browser: Browser, proofs: Proofs): Promise<string>
  /** The stored hash of the user's password. */
  stolenHash(email: string): Promise<string>
  /** Checks a password against a stolen hash with the library's own code, without any secret of the app. */
  guess(hash: string, password: string): Promise<boolean>
}

/** An app under attack, with its users and its provider. */
export interface RuleScene extends RuleApp {
  readonly idp: FakeIdentityProvider
  /** The addresses of a user and of the attacker. They differ in each app, since some limits count for the whole process. */
  readonly alice: string
  readonly mallory: string
  /** Opens a browser with a network address of its own, or with a given one. `origin`: the address under which it reaches the app. */
  newBrowser(options?: { readonly origin?: string; readonly network?: string }): Browser
  newNetwork(): string
  /** The newest mail to an address; waits for it, since some libraries send after they have answered. @throws if none arrives */
  lastMail(email: string): Promise<Mail>
  /** Moves the clock of the app, its browsers and the authenticator apps. */
  pass(minutes: number): void
}

export const alicePassword = "grey lantern over water"
export const malloryPassword = "seven ravens on a roof"

const realDate = Date
let elapsed = 0

/** The clock of this process, moved by `pass`. */
class MovedDate extends realDate {
  constructor(...values: [] | [value: number | string | Date]) {
    if (values.length === 0) super(realDate.now() + elapsed)
    // as: the arguments that a library passes to Date
    else super(...(values as [number]))
  }
  static override now(): number {
    return realDate.now() + elapsed
  }
}

let count = 0

/** Opens an app. Only one at a time, because they share the clock. */
export async function openRuleScene(peer: RulePeer): Promise<RuleScene> {
  elapsed = 0
  globalThis.Date = MovedDate as DateConstructor // as: a Date with another clock
  count += 1
  const idp = openProvider(`https://rule-idp-${count}.test`)
  const app = await peer.open({ idp })
  let networks = 0
  const newNetwork = () => {
    networks += 1
    return `198.${51 + Math.floor(networks / 250)}.${count % 250}.${networks % 250}`
  }
  return {
    ...app,
    idp,
    alice: `alice-${count}@example.com`,
    mallory: `mallory-${count}@example.com`,
    newNetwork,
    newBrowser({ origin: address = origin, network = newNetwork() } = {}) {
      return createBrowser({ handler: (request) => app.handle(throughProxy(request, network)), origin: address })
    },
    async lastMail(email) {
      for (let tries = 0; tries < 100; tries++) {
        const mail = app.mails.findLast(({ to, link }) => to === email && link !== "")
        if (mail) return mail
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      throw new Error(`${peer.id}: no mail with a link arrived for ${email}`)
    },
    pass(minutes) {
      elapsed += minutes * 60_000
    },
  }
}

/** Restores the clock. */
export function closeRuleScene(): void {
  elapsed = 0
  globalThis.Date = realDate
}

/** Signs Alice up and in. @throws if that fails: a mistake here must not look like a refusal */
export async function signUpAlice(app: RuleScene): Promise<Browser> {
  return signUp(app, app.alice, alicePassword)
}

/** Signs a new user up. @returns a browser in which they are signed in */
export async function signUp(app: RuleScene, email: string, password: string): Promise<Browser> {
  const browser = app.newBrowser()
  await app.signUp(browser, email, password)
  const { link } = await app.lastMail(email)
  await app.openSignUpLink(browser, link, password)
  const fresh = app.newBrowser()
  await app.signIn(fresh, email, password)
  const found = await app.whoIs(fresh)
  if (found !== email) throw new Error(`${email} cannot sign in after the sign-up, the session is ${found}`)
  return fresh
}

/** Signs in as Alice with a password, and nothing else. @returns whether the browser is then signed in as her */
export async function signInAsAlice(
  app: RuleScene,
  password: string = alicePassword,
  browser: Browser = app.newBrowser(),
): Promise<boolean> {
  await app.signIn(browser, app.alice, password)
  return (await app.whoIs(browser)) === app.alice
}

export interface AliceWithFactor extends Enrolled {
  /** Signed in, with the factor. */
  readonly browser: Browser
  /** Signs in with password and code in a browser. */
  signIn(browser?: Browser): Promise<Browser>
  /** An unused code. Moves the clock by a minute. */
  newCode(): Promise<string>
}

/** Alice with an authenticator app, after one sign-in with it. */
export async function enrollAlice(app: RuleScene): Promise<AliceWithFactor> {
  return enroll(app, await signUpAlice(app), app.alice, alicePassword)
}

export async function enroll(
  app: RuleScene,
  first: Browser,
  email: string,
  password: string,
): Promise<AliceWithFactor> {
  const enrolled = await app.enroll(first, password)
  const newCode = () => {
    app.pass(1)
    return enrolled.app.code()
  }
  const signIn = async (browser = app.newBrowser()) => {
    await app.signIn(browser, email, password)
    if ((await app.whoIs(browser)) !== null) throw new Error("No second factor is asked for")
    await app.verify(browser, await newCode())
    const found = await app.whoIs(browser)
    if (found !== email) throw new Error(`${email} cannot sign in with a code, the session is ${found}`)
    return browser
  }
  return { ...enrolled, newCode, signIn, browser: await signIn() }
}

/** The first URL of a text. */
export const findLink = (text: string): string => /https?:\/\/[^\s"<>]+/.exec(text)?.[0] ?? ""
