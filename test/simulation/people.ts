import type { SoftwareAuthenticator } from "../../packages/testkit/src/authenticator/software-authenticator.js"
import { softwareAuthenticator } from "../../packages/testkit/src/authenticator/software-authenticator.js"

/** Someone outside of the service. */
export interface Person {
  readonly name: string
  readonly isAttacker: boolean
  /** Their mailbox. Only they can read it. */
  readonly email: string
  /** Their second mailbox, for when they change their address. */
  readonly otherEmail: string
  /** Where their requests come from. */
  readonly address: string
  /** Their password, if they have one. */
  readonly password: { readonly username: string; readonly password: string } | null
  /** Their device for passkeys. */
  readonly device: SoftwareAuthenticator
}

/** Occurs in every secret that the world makes, so that one search finds them all. */
export const secretMark = "zQ7secretX"

/** The user agent of every browser has it. */
export const agentMark = "yK4agentX"

/** Every address has it. */
export const mailDomain = "@mail.test"

/** When each world begins. */
export const beginning: number = Date.UTC(2030, 0, 1, 12)
export const dayMs: number = 24 * 60 * 60_000

export const appOrigin = "https://app.corp.test"
/** Where the half of the app is that does not track its sessions. */
export const halfPath = "/half"
/** A neighbor of the app that the attacker controls. */
export const siblingOrigin = "https://blog.corp.test"
/** The attacker's own site. */
export const evilOrigin = "https://evil.test"

/** Two victims and the attacker. */
export function createPeople(): readonly [Person, Person, Person] {
  const create = (name: string, address: string, hasPassword: boolean): Person => {
    const username = name.toLowerCase()
    return {
      name,
      isAttacker: name === "Mallory",
      email: `${username}${mailDomain}`,
      otherEmail: `${username}-new${mailDomain}`,
      address,
      password: hasPassword ? { username, password: `${secretMark}-${username}-password` } : null,
      device: softwareAuthenticator({ origin: appOrigin, alg: "EdDSA" }),
    }
  }
  return [
    create("Vera", "192.0.2.1", false),
    create("Paul", "192.0.2.2", true),
    create("Mallory", "198.51.100.9", true),
  ]
}

/** Whether a person can read the mails to an address. */
export function ownsMailbox({ email, otherEmail }: Person, address: string | null): boolean {
  return address === email || address === otherEmail
}

/** The subject of a person's account at a provider. */
export function subjectOf(person: Person, provider: string): string {
  return `${person.name.toLowerCase()}-at-${provider}`
}

/** Who signs in at a provider, and what the provider tells about them. */
export interface Identity {
  readonly sub: string
  readonly email: string
  readonly isEmailVerified: boolean | undefined
  /** Who controls the account: its owner, or the attacker if the provider answers for someone else. */
  readonly person: Person
}
