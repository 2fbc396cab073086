import type { Activity } from "./activity.js"
import type { Person } from "./people.js"
import type { VisitorBrowser } from "./visitor-browser.js"

/** What a request proved to the service: that its sender controls a credential. */
export interface Proof {
  readonly kind: "account" | "mailbox" | "password" | "passkey"
  /** Provider and subject, address, user name or credential id. */
  readonly id: string
  /** Who controls it. */
  readonly person: Person
  /** The address that an account's provider vouches for. */
  readonly verifiedEmail?: string
}

/** A change that a request made in the store. */
export interface Write {
  readonly method: string
  readonly args: readonly unknown[]
  readonly result: unknown
  /** The ids of the user's live sessions after a new one was written. */
  readonly listed?: readonly string[]
}

/** One request to the service, and all that came of it. */
export interface Exchange {
  readonly id: number
  readonly activity: Activity
  readonly browser: VisitorBrowser
  readonly instance: number
  /** When the request arrived, by the time of the world. */
  readonly arrivedMs: number
  readonly method: string
  readonly url: URL
  /** Whether the request is a HEAD or a prefetch, so that no one sees its answer. */
  readonly isUnseen: boolean
  /** Whether a page of another origin shows the answer in a frame. */
  readonly isFramed: boolean
  /** What sent it, by `Sec-Fetch-Mode`: a navigation, or a script. */
  readonly mode: string
  /** The token of a native app in the header `Authorization`. Null without one. */
  readonly token: string | null
  /** The form that was posted. Null without one. */
  readonly form: URLSearchParams | null
  /** The values of the session cookies that the browser sent. */
  readonly sentSessions: readonly string[]
  /** The sent sessions that had ended before the request arrived. */
  readonly endedBefore: ReadonlySet<string>
  /** Whether the session of the code that an app exchanges had ended before. */
  readonly isSourceOver: boolean
  /** The header with all cookies. */
  readonly cookies: string
  /** The ids of the second factors that existed when the request arrived. */
  readonly factorsBefore: ReadonlySet<string>
  /** The cookies of the mails that the browser asked for, as `name=value`. */
  readonly mailCookies: readonly string[]
  readonly proofs: Proof[]
  readonly writes: Write[]
  /** Failures that the world caused, such as `store.linkAccount: lost`. */
  readonly faults: string[]
  /** The user who signed in, as the `signIn` event tells. */
  signedIn: { readonly userId: string; readonly provider: string } | null
  /** The user of the session that was read, as the `session` event tells. */
  sessionUserId: string | null
  /** Identifies the session of the token, with the strategy `jwt`. */
  sid: string | null
  /** The new password that it stored. */
  newPassword: NewPassword | null
  answer: Answer | null
}

/** A password that a request stored in place of another one. */
export interface NewPassword {
  readonly userId: string
  /** The ids of the user's sessions that lived then. */
  readonly sessions: readonly string[]
  /** Whether it came by a mail to an address that was replaced during the request, and has not come back since. */
  isLate: boolean
}

/** A request that was answered. */
export interface AnsweredExchange extends Exchange {
  readonly answer: Answer
}

/** What the service answered. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: string
  /** The new value of the session cookie; empty if it is cleared; undefined if it stays. */
  readonly session: string | undefined
  /** Its cookies as `name=value`, if it needs several. */
  readonly sessionParts: readonly string[]
}

/** Methods of an adapter that change something that lasts. */
const lastingWrites: ReadonlySet<string> = new Set([
  "createUser",
  "updateUser",
  "linkAccount",
  "createSession",
  "createSessionDetail",
  "createAuthenticator",
  "markEmailVerified",
  "setPassword",
  "createFactor",
])

/** Whether a write creates something that lasts. The row that ends waiting sign-ins does not count: it is a part of `endSessions`. */
export function isLasting({ method, args, result }: Write): boolean {
  return lastingWrites.has(method) && result !== false && Object(args[0]).kind !== "ending"
}

/** The user name, or the address, that a form of passwords has. */
export function nameInForm({ form }: Pick<Exchange, "form">): string {
  return form?.get("username") ?? form?.get("email") ?? ""
}

/** Whether the service did what a form asked for: the answer, or a redirect to the page that says so. */
export function hasDone({ status, headers }: Pick<Answer, "status" | "headers">): boolean {
  return status === 200 || /[?&]after=/.test(headers.get("location") ?? "")
}

/** Whether the service refused: an error status, or a redirect to a page with an error. */
export function isRefusal({ status, headers, body }: Answer): boolean {
  if (status >= 400) return true
  const target = headers.get("location") ?? (body.startsWith('{"url"') ? body : "")
  return /[?&](?:error|refused)=/.test(target)
}
