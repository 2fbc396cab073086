import Passkey from "@latchkey/core/providers/passkey"
import { recoveryCodes, type SecondFactorOptions, secondFactors, totp } from "@latchkey/core/second-factors"
import {
  type AuthenticatorApp,
  authenticatorApp,
  type Browser,
  memoryAdapter,
  type TestHost,
  type TestHostOptions,
  testEmail,
} from "@latchkey/testkit"
import type { MemoryAdapter } from "@latchkey/testkit/adapter"
import { Card } from "../actions/card/card.js"
import { openHost } from "./hosts.js"
import { type Answer, post } from "./requests.js"

export const strategies = ["jwt", "database"] as const
export type Strategy = (typeof strategies)[number]

/** The user at the identity provider, in the mailbox, and of the password. */
export const address = "ada@example.com"
const userId = "u-ada"

export interface FactorHost {
  readonly host: TestHost
  readonly adapter: MemoryAdapter
  /** Signs Ada in by password, in a new browser. */
  signIn(browser?: Browser): Promise<Browser>
  /** Signs Ada in, and sets up an authenticator app in the account area. */
  enroll(): Promise<Enrolled>
}

export interface Enrolled {
  readonly browser: Browser
  readonly app: AuthenticatorApp
  readonly secret: string
  readonly recoveryCodes: readonly string[]
}

interface FactorHostOptions extends Omit<TestHostOptions, "adapter" | "secondFactors"> {
  readonly strategy?: Strategy
  readonly secondFactor?: Partial<SecondFactorOptions>
  /** Default: one in memory. Ada is added unless it has her. */
  readonly adapter?: MemoryAdapter
  /** Methods that the adapter lacks. */
  readonly lacks?: readonly (keyof MemoryAdapter)[]
}

/** A host with every way to sign in, and second factors. Its user Ada exists, with an account at each provider. */
export async function openFactors(options: FactorHostOptions = {}): Promise<FactorHost> {
  const { strategy = "jwt", secondFactor, adapter = memoryAdapter(), lacks = [], ...given } = options
  if (!(await adapter.getUser(userId))) await addAda(adapter)
  const host = openHost({
    adapter: Object.fromEntries(Object.entries(adapter).filter(([name]) => !lacks.some((lacked) => lacked === name))),
    session: { strategy },
    secondFactors: secondFactors({ factors: [totp(), recoveryCodes()], ...secondFactor }),
    providers: ({ idp }) => [
      idp.provider(),
      idp.oauthProvider({ profile: ({ sub, email }) => ({ id: String(sub), email: String(email) }) }),
      testEmail({ code: true }),
      {
        id: "cred",
        name: "Password",
        type: "credentials",
        credentials: { name: {} },
        authorize: ({ name }) => adapter.getUserByEmail(String(name)),
      },
      Passkey({ verifyAuthenticationOptions: { requireUserVerification: false } }),
      Card(),
    ],
    ...given,
  })

  async function signIn(browser = host.newBrowser()): Promise<Browser> {
    await browser.signIn("cred", { name: address })
    return browser
  }

  return {
    host,
    adapter,
    signIn,
    async enroll() {
      const browser = await signIn()
      const setup = await begin(browser)
      const app = authenticatorApp(setup.secret)
      const answer = await change(browser, "confirm-totp", { ticket: setup.ticket, code: await app.code() })
      const { recoveryCodes: codes } = answer.json() as { recoveryCodes: readonly string[] | null }
      return { browser, app, secret: setup.secret, recoveryCodes: codes ?? [] }
    },
  }
}

async function addAda(adapter: MemoryAdapter): Promise<void> {
  await adapter.createUser({ id: userId, email: address, name: "Ada", emailVerified: new Date() })
  const accounts = [
    { provider: "oidc", providerAccountId: "ada-1815", type: "oidc" },
    { provider: "oauth", providerAccountId: "ada-1815", type: "oauth" },
    { provider: "card", providerAccountId: address, type: "credentials" },
  ] as const
  for (const account of accounts) await adapter.linkAccount({ ...account, userId })
}

/** What `begin-totp` answers. */
export interface Setup {
  readonly ticket: string
  readonly secret: string
  readonly uri: string
  readonly qr: string | null
}

export async function begin(browser: Browser): Promise<Setup> {
  return (await change(browser, "begin-totp")).json() as Setup
}

/** Changes the factors of the signed-in user by the route of the account area. */
export function change(
  browser: Browser,
  action: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return post(browser, "/auth/account/factors", { action, ...fields })
}

export async function listOwn(
  browser: Browser,
): Promise<readonly { id: string; kind: string; createdAt: string; codesLeft: number | null }[]> {
  const response = await browser.fetch("/auth/account/factors", { headers: { accept: "application/json" } })
  return (await response.json()).factors
}

/** Gives a code for the sign-in that waits in the browser. Redirects are not followed. */
export function give(browser: Browser, code: string, kind = "totp"): Promise<Answer> {
  return post(browser, `/auth/second-factor/${kind}`, { code })
}

const sessionCookieName = "__Secure-authjs.session-token"

export function hasSessionCookie(browser: Browser): boolean {
  return browser.cookies.names().some((name) => name.startsWith(sessionCookieName))
}
