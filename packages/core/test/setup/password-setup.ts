import { argon2id } from "@latchkey/core/passwords"
import Passwords, { type AddressedMail, type PasswordsOptions } from "@latchkey/core/providers/passwords"
import { recoveryCodes, secondFactors, totp } from "@latchkey/core/second-factors"
import { trackSessions } from "@latchkey/core/sessions"
import type { Adapter, Provider } from "@latchkey/core/types"
import { type Browser, memoryAdapter, type TestHost, type TestHostOptions } from "@latchkey/testkit"
import type { MemoryAdapter } from "@latchkey/testkit/adapter"
import { openHost } from "./hosts.js"
import { type Answer, post } from "./requests.js"

export const strategies = ["jwt", "database"] as const
export type Strategy = (typeof strategies)[number]

export const address = "ada@example.com"
export const password = "correct horse battery"
export const newPassword = "another staple of words"

/** Fast: the time of a hash is no subject of most tests. */
export const cheap = argon2id({ memory: 64, passes: 1 })

interface PasswordHostOptions extends Omit<TestHostOptions, "adapter" | "providers"> {
  readonly strategy?: Strategy
  readonly passwords?: Partial<PasswordsOptions>
  readonly hasSecondFactor?: boolean
  /** Other ways to sign in. */
  readonly others?: readonly Provider[]
  readonly adapter?: MemoryAdapter
  /** Methods that replace those of the adapter. */
  readonly override?: Partial<Adapter>
}

export interface PasswordHost {
  readonly host: TestHost
  readonly adapter: MemoryAdapter
  /** All mails, oldest first. */
  readonly mails: AddressedMail[]
  /** The link and the code of the newest mail to an address. */
  lastTo(to: string): MailedSecrets
  /** Creates an account: signs up in a new browser, and types the code. */
  signUp(email?: string, chosen?: string): Promise<Browser>
}

export interface MailedSecrets {
  readonly subject: string
  readonly link: string
  /** Empty if the mail has none. */
  readonly code: string
}

/** A host with passwords whose mails are kept. Its log and responses are searched for the passwords of these tests. */
export function openPasswords(options: PasswordHostOptions = {}): PasswordHost {
  const { strategy = "jwt", passwords, hasSecondFactor = false, others = [], ...more } = options
  const { adapter = memoryAdapter(), override, ...given } = more
  const mails: AddressedMail[] = []
  const provider = Passwords({
    mail: { send: (mail) => void mails.push(mail) },
    breached: false,
    hash: cheap,
    ...passwords,
  })
  const host = openHost({
    session: { strategy, track: trackSessions({ checkEvery: 0 }) },
    providers: [provider, ...others],
    ...(hasSecondFactor && { secondFactors: secondFactors({ factors: [totp(), recoveryCodes()] }) }),
    ...given,
    adapter: { ...adapter, ...override },
  })
  for (const [name, value] of Object.entries({ password, newPassword })) host.canaries.watch(name, value)

  function lastTo(to: string): MailedSecrets {
    const mail = mails.findLast((each) => each.to === to)
    if (!mail) throw new Error(`No mail was sent to ${to}`)
    const link = /https:\/\/\S+/.exec(mail.text)?.[0] ?? ""
    return { subject: mail.subject, link, code: /^\d{6}$/m.exec(mail.text)?.[0] ?? "" }
  }

  return {
    host,
    adapter,
    mails,
    lastTo,
    async signUp(email = address, chosen = password) {
      const browser = host.newBrowser()
      await post(browser, "/auth/password/sign-up", { email, password: chosen })
      await post(browser, "/auth/password/sign-up", { code: lastTo(email).code })
      return browser
    },
  }
}

/** Signs in by the form of the contract. Redirects are not followed. */
export function signIn(browser: Browser, typed = password, email = address): Promise<Answer> {
  return post(browser, "/auth/callback/password", { email, password: typed })
}

/** Asks for a mail to choose a new password. */
export function forget(browser: Browser, email = address): Promise<Answer> {
  return post(browser, "/auth/password/forgot", { email })
}

/** The path and the query of a link. */
export function pathOf(link: string): string {
  const { pathname, search } = new URL(link)
  return `${pathname}${search}`
}

export async function isSignedIn(browser: Browser): Promise<boolean> {
  return (await browser.session()) !== null
}
