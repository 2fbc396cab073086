import type { Exchange, Proof } from "./exchange.js"
import type { Person } from "./people.js"
import type { VisitorBrowser } from "./visitor-browser.js"

/** A user of the service, as the world outside sees it. */
export interface UserFacts {
  readonly id: string
  email: string
  /** Who proved who they are when the user was created. */
  readonly owner: Person
  /** The exchange that created the user. Null: the host did. */
  readonly bornIn: Exchange | null
  /** Whether the attacker lawfully can act as this user, because a session or a provider was stolen. */
  isExposed: boolean
  /** Whether the attacker knows the password, which a second factor makes useless. */
  isPasswordKnown: boolean
  isDeleted: boolean
  /** Whether someone proved that they can read the mailbox of the address. */
  isAddressProven: boolean
  /** The address that an undo restores. */
  kept: { readonly email: string; readonly sinceMs: number } | null
  /** The request that changed the address last, or undid a change. */
  movedBy: { readonly exchange: Exchange; readonly ms: number } | null
}

/** A session that the service started. */
export interface SessionFacts {
  readonly userId: string
  /** Its cookies as `name=value`, if it needs several. */
  readonly parts: readonly string[]
  /** Id of a stateless session in the host's list, or of its record if sessions are tracked. */
  readonly sid: string | null
  /** Whether it is from before the app tracked sessions. */
  readonly isFromBefore?: true
  /** Why it is over. */
  ended: string | null
}

/** A sign-in that was begun at a provider. */
export interface FlowFacts {
  readonly browser: VisitorBrowser
  /** Who began it. */
  readonly person: Person
  readonly provider: string
  /** The user who was signed in then: linking to this user is meant, to any other it is not. */
  readonly userAtBegin: string | null
  /** The instances that completed it. */
  readonly completedBy: number[]
}

/** A logout token that a provider signed, or that the attacker made up. */
export interface LogoutTokenFacts {
  readonly provider: string
  /** What it names: a session at the provider, or a user there. */
  readonly target: { readonly sid: string } | { readonly sub: string }
  /** Whether the provider of this name sent it for the app. */
  readonly isRight: boolean
  /** How many requests had it. */
  arrivals: number
  /** The request that ended its sessions in time and was answered with 200. */
  obeyed: ObeyedFacts | null
}

/** A request that obeyed a logout token. */
export interface ObeyedFacts {
  readonly beginMs: number
  readonly endMs: number
  /** How far the clock of its instance is off. */
  readonly driftMs: number
}

/** The record of a tracked session. */
export interface RecordFacts {
  readonly userId: string
  /** What it began with: the provider, the user there, and the session there. */
  readonly origin: { readonly provider: string; readonly sub: string; readonly sid: string | null }
  /** The token of a stored session. */
  readonly sessionToken: string | null
  /** The request that began it, and when. */
  readonly begunBy: Exchange
  readonly sinceMs: number
  /** When its user last proved who they are, to begin it. */
  readonly provenMs: number
  /** When it was ended. */
  endedMs: number | null
}

/** How a stateless session ended. */
export interface Ending {
  readonly by: string
  /** From when on no instance may believe it. */
  readonly deadFromMs: number
}

/** What a mail is for: one of the built-in passwords, or of the account area. */
export type MailPurpose = PasswordPurpose | "change" | "undo"
export type PasswordPurpose = "sign-up" | "reset" | "add"

/** The password of a user. */
export interface PasswordFacts {
  /** The user's address. */
  readonly email: string
  readonly text: string
  /** How often it was changed. */
  readonly version: number
}

/** A second factor as the store has it. */
export interface FactorFacts {
  readonly userId: string
  readonly kind: string
  /** Of an authenticator app, in base32. */
  readonly secret: string
  /** The steps whose codes were accepted, as they were answered. Two requests can be answered the other way round. */
  readonly spentSteps: number[]
}

/** A sign-in that waits for a second factor. */
export interface HoldFacts {
  /** What the request proved that began it. */
  readonly proofs: readonly Proof[]
  readonly sinceMs: number
  /** The password that was typed. Null for other ways. */
  readonly password: string | null
  /** How often it was completed. */
  uses: number
  /** How many codes were compared and found wrong. */
  wrong: number
}

/** A code that replaces a lost second factor. */
export interface RecoveryFacts {
  readonly userId: string
  readonly owner: Person
  uses: number
}

/** A secret that a service showed for an authenticator app. */
export interface AppFacts {
  readonly secret: string
  readonly person: Person
}

/** The right to use a refresh token. */
export interface LeaseFacts {
  /** Its end, by the clock of the caller who has it. */
  readonly untilMs: number
  /** How far that clock was off when the caller got it. */
  readonly driftMs: number
}

/** The use of a refresh token. */
export interface Presentation {
  readonly exchange: Exchange
  /** Until when its caller has the lease, by that caller's clock. */
  readonly untilMs: number
  /** How far that clock was off when the caller got the lease, and when it used the token. */
  readonly driftsMs: readonly number[]
  /** Whether the tokens that came of it were stored while the caller had the lease. */
  isStored: boolean
}

/** A mailed link or code. */
export interface MailFacts {
  readonly provider: string
  readonly to: string
  readonly url: string
  readonly token: string
  /** The digits to type. Undefined if the mail has none. */
  readonly code: string | undefined
  /** The browser that asked for it. */
  readonly browser: VisitorBrowser
  /** Id of the exchange that asked for it. */
  readonly exchangeId: number
  /** Who can read it. */
  readonly owner: Person | undefined
  readonly sentMs: number
  /** Undefined for a sign-in. */
  readonly purpose: MailPurpose | undefined
  /** The user who was signed in when it was asked for, with the address that they had then. */
  readonly askedFor: Pick<UserFacts, "id" | "email"> | null
  /** That of the password of its address when it was sent. Null without one. */
  readonly passwordVersion: number | null
  used: number
  hasSetPassword: boolean
  /** When the same browser was sent another mail in its place, while its code could still be typed. */
  replacedMs: number | null
}

/** What the account area has written. */
export interface AreaFacts {
  /** By the id of the change: an address that can be restored. */
  readonly kept: Map<string, { readonly userId: string; readonly email: string; readonly sinceMs: number }>
  /** By the id of a change, kept or not: its address. The time of a kept one is renewed under the same id. */
  readonly addresses: Map<string, string>
  /** By user id: a deletion that is planned. */
  readonly planned: Map<string, { readonly sinceMs: number; readonly dueMs: number }>
  /** Users whose plan the host's job has taken, to delete them in the same request. */
  readonly claimed: Map<string, Exchange>
  /** By `provider subject`: an account that its user removed. */
  readonly unlinked: Map<string, UnlinkFacts>
  /** By `provider subject`: an account that was linked by an address which its user had just given up. */
  readonly lateLinks: Map<string, Exchange>
}

export interface UnlinkFacts {
  readonly userId: string
  readonly exchange: Exchange
  /** The ids of the records of the session that did it, which goes on. */
  readonly own: readonly string[]
  readonly ms: number
}

/** What native apps have asked for and got. */
export interface NativeFacts {
  /** By the `state` of the app. */
  readonly attempts: Map<string, AppAttempt>
  /** By the sealed ticket of the page. */
  readonly questions: Map<string, AppQuestion>
  readonly codes: Map<string, AppCode>
  /** By the token: the value under which the model has its session. */
  readonly tokens: Map<string, string>
}

/** A sign-in that an app began. */
export interface AppAttempt {
  readonly state: string
  readonly verifier: string
  readonly clientId: string
  readonly redirectUri: string
  /** Whose app it is. */
  readonly person: Person
}

/** A page that asks whether an app may be signed in. */
export interface AppQuestion {
  readonly userId: string | null
  readonly browser: VisitorBrowser
  /** What the app had asked for. */
  readonly asked: URLSearchParams
}

/** A code that an app got. */
export interface AppCode {
  readonly userId: string
  readonly asked: URLSearchParams
  readonly sinceMs: number
  /** The session of the browser. */
  readonly session: string
  /** How often it was exchanged. */
  uses: number
}
