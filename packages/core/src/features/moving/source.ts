import type { User } from "@latchkey/types"
import type { AuthMethod } from "../../account/proof.js"
import type { AdapterUser } from "../../types/adapter.js"
import type { Awaitable } from "../../types/basics.js"
import type { JWT } from "../../types/jwt.js"
import type { Profile } from "../../types/user.js"

/** Options of all readers. */
export interface SourceOptions<Claims = unknown> {
  /** When the reader is switched off; at most 366 days ahead. Remove it then. */
  readonly until: Date
  /** The names of the cookie, as the app configured them. Default: those of the library, with and without prefix. */
  readonly cookie?: string | readonly string[] | undefined
  /** The domain of the cookie, which clearing it needs. Default: none. */
  readonly domain?: string | undefined
  /** Returns the id of the user, or a promise of it. Default: as the library has it. */
  readonly subject?: ((claims: Claims) => unknown) | undefined
  /**
   * How a subject finds its user: by the id of the user, or as an account of a provider. Default: `"id"`. Without an adapter
   * the subject is the id of the user.
   */
  readonly owner?: "id" | { readonly provider: string } | undefined
  /** Decides whether a session is accepted. Default: if it has no `concerns`. */
  readonly allow?: ((found: FoundSession<Claims>) => Awaitable<boolean>) | undefined
  /**
   * Whether a second factor that was given there counts here. Otherwise users who have one are asked for it. Default: false.
   */
  readonly keepsFactors?: boolean | undefined
}

/** Why a session should not be accepted without a decision of the app. */
export type SourceConcern = "impersonated" | "pending" | "anonymous"

/** A valid session of another library, and its user here. */
export interface FoundSession<Claims = unknown> {
  readonly claims: Claims
  /** The id of the user there. */
  readonly subject: string
  readonly user: AdapterUser | User
  readonly concerns: readonly SourceConcern[]
}

/** What a reader finds in a cookie. */
export type Reading<Claims = unknown> =
  | FoundReading<Claims>
  /**
   * No session. `refused`: it could become valid with other options. `over`: it never can, and the cookie is cleared.
   * `unknown`: the store or the service that knows the session did not answer.
   */
  | { readonly kind: "refused" | "over" | "unknown" }

/** A session that a reader found. */
export interface FoundReading<Claims = unknown> {
  readonly kind: "found"
  readonly claims: Claims
  /** The default of `subject`. */
  readonly subject: unknown
  /** Identifies the session there, for as long as it lives. Default: the value of the cookie. */
  readonly key?: string | undefined
  /** Default: `until` of the reader. */
  readonly expires?: Date | undefined
  /** When the session began. Default: unknown. */
  readonly startedAt?: Date | undefined
  /** The user, for apps without an adapter. */
  readonly user?: Omit<User, "id"> | undefined
  /** What the provider told about the user, such as roles: the `profile` of `callbacks.jwt`. Default: nothing. */
  readonly profile?: Profile | undefined
  /** How the user proved who they are, as far as the library knows. Default: unknown. */
  readonly achieved?: readonly AuthMethod[] | undefined
  readonly concerns?: readonly SourceConcern[] | undefined
  /** The claims of the token, which go on as they are. Default: those of the user. */
  readonly token?: JWT | undefined
}

/** What a reader gets besides the value. */
export interface ReaderVisit {
  /** The name of the cookie. */
  readonly name: string
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly now: number
  /** The values of another cookie of the request, joined if it is split. */
  values(name: string): readonly string[]
}

/** Reads the sessions of one library. */
export interface SourceReader<Claims> {
  /** Names the library. Subjects and sessions of different names never meet. */
  readonly name: string
  /** Default names of the cookie. */
  readonly cookies: readonly string[]
  /** What may stand between the name of a cookie and the number of its part. Default: a dot. */
  readonly separators?: readonly string[] | undefined
  /** Names of cookies that are cleared with it. */
  readonly companions?: ((name: string) => readonly string[]) | undefined
  /** The secrets, and the option that has them. Undefined: the library signs nothing, or with a key of its own. */
  readonly secret?: { readonly option: string; readonly value: unknown } | undefined
  /** The first mistake in the other options: the option, and what is wrong. */
  readonly validate?: (() => { readonly option: string; readonly sentence: string } | null) | undefined
  /** Whether a value has the form of the library, for cookies that have the name of ours. Default: every value. */
  readonly canRead?: ((value: string) => boolean) | undefined
  read(value: string, visit: ReaderVisit): Awaitable<Reading<Claims>>
  /** Ends a session there, by its key. */
  readonly end?: ((key: string) => Awaitable<unknown>) | undefined
}

/** A reader with the options of an app, as the acceptor uses it. */
export interface Source {
  readonly options: SourceOptions<never>
  readonly reader: SourceReader<unknown>
  readonly names: readonly string[]
  isOver(): boolean
  /** Reads the values of its cookies until one is a session. */
  read(value: string, visit: ReaderVisit): Promise<Reading>
  toSubject(reading: FoundReading): Promise<string>
  allows(found: FoundSession): Promise<boolean>
}
