import type { ColumnKind } from "./column.js"
import type { Model } from "./default-tables.js"

/** How one table of the host differs from the default. */
export interface TableOptions {
  /** The table's name; may carry a schema, as in `auth.users`. */
  readonly name?: string
  /** Column names by field, where they differ from the field's own name. */
  readonly columns?: Readonly<Record<string, string>>
  /**
   * Columns that the host added to the table, by field: they are written when a record carries the field, and read
   * with every record. Fields that are neither here nor in the contract are never written.
   */
  readonly extra?: Readonly<Record<string, ColumnKind>>
  /**
   * The column of an id that each row has beside what the contract knows, as tables of other libraries have it: filled
   * with a random UUID. Leave it out where the database fills it.
   */
  readonly rowId?: string
}

/** How a table that joins accounts or sessions with their users differs from the default. */
export interface LinkOptions {
  readonly name?: string
  /** The column that refers to the account or the session. */
  readonly owned?: string
  /** The column that refers to the user. */
  readonly owner?: string
}

/** The records that every layout has a table for. */
export type RecordModel = Exclude<Model, "spent" | "provenEmail">

/** How the host's tables differ from the defaults, by the record they hold. */
export type SchemaOptions = { readonly [M in RecordModel]?: TableOptions } & {
  /** False: there is none, the adapter has no `consumeOnce`, and each process remembers for itself what was spent. */
  readonly spent?: TableOptions | false
  /**
   * False: there is none, and the adapter has neither `markEmailVerified` nor `isEmailVerified`, so that the service cannot tell
   * users whose address nobody proved.
   */
  readonly provenEmail?: TableOptions | false
  /**
   * `"direct"`: accounts and sessions name their user, and nothing else does. `"linked"`: tables of their own join them
   * with their users, and every column may be null. Default: `"direct"`.
   */
  readonly layout?: "direct" | "linked"
  /** Stands before every name that is not given here. Default: nothing, or `"auth_"` in the linked layout. */
  readonly prefix?: string
  /** The table that joins users and accounts, in the linked layout. */
  readonly userAccount?: LinkOptions
  /** The table that joins users and sessions, in the linked layout. */
  readonly userSession?: LinkOptions
  /**
   * The ids of users. `"text"`: any text, made by the service. `"integer"`: numbers that the database counts. `"uuid"`:
   * made by the database; by the adapter in MySQL and MariaDB, which cannot tell what they made. Default: `"text"`.
   */
  readonly ids?: "text" | "integer" | "uuid"
}
