/** One user of a source with everything that belongs to them, in the source's own terms. The command normalizes and checks. */
export interface SourceUser {
  /** As text, exactly as the source has it: it is kept. */
  readonly id: string
  readonly name?: string | null
  /** As the source has it: the command brings it into the form in which addresses are stored here. */
  readonly email?: string | null
  /**
   * When the source verified the address. Null if it did not, or does not say. A source that says only "verified" gives the
   * date of the user's creation.
   */
  readonly emailVerified?: Date | null
  readonly image?: string | null
  /** Values of further columns of the user, by their names in the target, such as `role`. */
  readonly fields?: Readonly<Record<string, unknown>>
  readonly accounts?: readonly SourceAccount[]
  /** The hash, in a format that `importPassword` knows, or can be told by the option `accept`. Not for OAuth users. */
  readonly password?: string | null
  readonly totp?: readonly SourceTotp[]
  /** The codes that are left, in plain text and in the source's form. */
  readonly recoveryCodes?: readonly string[]
  readonly passkeys?: readonly SourcePasskey[]
  /**
   * What of this user cannot come along, such as a factor by text message: sentences without addresses, secrets or hashes.
   * They are counted, and stand in the report; the user is imported without it.
   */
  readonly left?: readonly string[]
}

/** An account at a provider. */
export interface SourceAccount {
  /** The source's own name of the provider, such as `google.com`. `Source.providerNames` translates it. */
  readonly provider: string
  /** The user's id at the provider. */
  readonly providerAccountId: string
  /** Default: the type of the configured provider of this name, else `oauth`. */
  readonly type?: "oauth" | "oidc"
  readonly access_token?: string | null
  readonly refresh_token?: string | null
  readonly id_token?: string | null
  readonly scope?: string | null
  readonly token_type?: string | null
  /** In seconds since 1970, or a date. */
  readonly expires_at?: number | Date | null
  readonly session_state?: string | null
}

/** An authenticator app. */
export interface SourceTotp {
  /** Base32, with or without padding. */
  readonly secret: string
  /** Default: 6. */
  readonly digits?: number
  /** Seconds. Default: 30. */
  readonly period?: number
  /** Default: SHA-1. */
  readonly algorithm?: string
  /** A name that the user gave it. */
  readonly label?: string | null
  readonly createdAt?: Date | null
}

/** A passkey. */
export interface SourcePasskey {
  /** Base64 or base64url. */
  readonly credentialId: string
  /** In COSE form, base64 or base64url. */
  readonly publicKey: string
  readonly counter: number
  /** Default: `multiDevice` if it is backed up, else `singleDevice`. */
  readonly deviceType?: "singleDevice" | "multiDevice"
  readonly isBackedUp?: boolean
  readonly transports?: readonly string[]
  readonly name?: string | null
  readonly createdAt?: Date | null
  readonly lastUsedAt?: Date | null
}

/** Where a row stands in the source. */
export interface SourcePosition {
  /**
   * Where reading goes on after this row: the user's id for a source that is read by id, the byte after the line for a file.
   * Opaque to the command, at most 1,024 characters.
   */
  readonly cursor: string
  /** The number of the line in a file, from 1. */
  readonly line?: number
}

/**
 * A row of a source. One that cannot be read is refused and reported, and the rest goes on. The reason is a sentence without
 * addresses, hashes or secrets, such as "The line is not JSON".
 */
export type SourceRow = SourcePosition & SourceContent

/** What a row is. */
export type SourceContent =
  | { readonly kind: "user"; readonly user: SourceUser }
  | { readonly kind: "refused"; readonly id?: string; readonly reason: string }
  /** A mapping of the configuration leaves it out. */
  | { readonly kind: "ignored" }

/** A user, or why there is none. */
export type MadeUser = SourceUser | string

/** What a source holds. Counts are undefined where counting would take as long as reading. */
export interface SourceSurvey {
  readonly users?: number | undefined
  /** How many accounts each provider has, by the source's own names. */
  readonly providers: ReadonlyMap<string, number>
  readonly passwords?: number | undefined
  /** Users with recovery codes. */
  readonly recoveryCodes?: number | undefined
  readonly totp?: number | undefined
  readonly passkeys?: number | undefined
  /** What the person at the terminal should know first, each a sentence: such as what of the source cannot come along. */
  readonly remarks?: readonly string[]
}

/** An opened source. */
export interface Source {
  /** How the source is named in sentences, such as "Better Auth". */
  readonly name: string
  /** Our ids of providers by the source's own names. A name that is not in the table is kept as it is. */
  readonly providerNames: Readonly<Record<string, string>>
  /**
   * Tells whether the source is the one that an interrupted import began with, such as a hash of the database's address
   * without its password, or of all bytes of a file. At most 128 characters.
   */
  readonly fingerprint: string
  /** Looks through the source before anything is written. */
  survey(): Promise<SourceSurvey>
  /**
   * Reads in a stable order, in pieces that fit in memory, such as 1,000 rows of a database (`where id > after order by id`).
   * @param after The cursor of the last row that was stored. Undefined: from the start
   */
  read(after: string | undefined): AsyncIterable<SourceRow>
  close(): Promise<void>
}

/** What a source is opened with. */
export interface SourceContext {
  /** The database or file that the command names. */
  readonly argument: string | undefined
  /** The folder that relative paths start from. */
  readonly folder: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** `import` of `latchkey.config.ts`. */
  readonly options: ImportOptions
  /** What is left out: a secret that only opens this is not asked for. */
  readonly skipped?: ReadonlySet<"passwords" | "factors" | "passkeys">
}

/** @throws UsageError if the source cannot be opened; the message says what to write instead */
export type OpenSource = (context: SourceContext) => Promise<Source>

/** `import` of `latchkey.config.ts`. */
export interface ImportOptions {
  /** Your ids of providers by the source's names, before the source's own table. Null leaves out the accounts. */
  readonly providers?: Readonly<Record<string, string | null>>
  /** With the source `json`: the user that a line describes, or null to leave it out. Default: the line itself. */
  readonly toUser?: (line: Readonly<Record<string, unknown>>) => SourceUser | null
  /** The secret of the source, or the newest first: with it, Better Auth sealed its second factors. */
  readonly secret?: string | readonly string[]
  /** Names of the source's tables, if they are not the usual ones, such as `{ user: "users" }`. */
  readonly tables?: Readonly<Record<string, string>>
  /** Names of the source's columns, by table, if they are not the usual ones, such as `{ user: { email: "mail" } }`. */
  readonly columns?: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** How authenticator apps count, if the source does not say: Better Auth's `totpOptions`. Default: 6 digits, 30 seconds. */
  readonly totp?: { readonly digits?: number; readonly period?: number }
  /** The second file of a source that has the passwords: Auth0's hashes, or the CSV file of Clerk's dashboard. */
  readonly passwords?: string
  /** Your columns of a user by those of the source, such as `{ role: "role" }`. Without an entry, a column stays behind. */
  readonly fields?: Readonly<Record<string, string>>
}
