import type { ColumnKind, Link, Presence } from "./column.js"

export type Model = "user" | "account" | "session" | "verificationToken" | "authenticator" | "spent" | "provenEmail"

export interface DefaultTable {
  readonly name: string
  readonly key: readonly string[]
  readonly columns: Readonly<Record<string, readonly [ColumnKind, Presence]>>
  /** Columns that a later migration adds to the table. */
  readonly later?: readonly string[]
  /** Column names by field, where they differ from the field's own name. */
  readonly names?: Readonly<Record<string, string>>
  readonly rowId?: string
  readonly link?: Link
}

/** The layout that SQL adapters of the ecosystem share: camelCase columns, snake_case for what OAuth named. */
export const defaultTables: Readonly<Record<Model, DefaultTable>> = {
  user: {
    name: "User",
    key: ["id"],
    columns: {
      id: ["key", "required"],
      name: ["text", "nullable"],
      email: ["key", "nullable"],
      emailVerified: ["date", "nullable"],
      image: ["text", "nullable"],
    },
  },
  account: {
    name: "Account",
    key: ["provider", "providerAccountId"],
    columns: {
      userId: ["key", "required"],
      type: ["text", "required"],
      provider: ["key", "required"],
      providerAccountId: ["longKey", "required"],
      refresh_token: ["text", "optional"],
      access_token: ["text", "optional"],
      expires_at: ["number", "optional"],
      token_type: ["text", "optional"],
      scope: ["text", "optional"],
      id_token: ["text", "optional"],
      session_state: ["text", "optional"],
    },
  },
  session: {
    name: "Session",
    key: ["sessionToken"],
    columns: {
      sessionToken: ["key", "required"],
      userId: ["key", "required"],
      expires: ["date", "required"],
    },
  },
  verificationToken: {
    name: "VerificationToken",
    key: ["identifier", "token"],
    columns: {
      identifier: ["key", "required"],
      token: ["key", "required"],
      expires: ["date", "required"],
    },
  },
  authenticator: {
    name: "Authenticator",
    key: ["credentialID"],
    columns: {
      credentialID: ["longKey", "required"],
      userId: ["key", "required"],
      providerAccountId: ["longKey", "required"],
      credentialPublicKey: ["text", "required"],
      counter: ["number", "required"],
      credentialDeviceType: ["text", "required"],
      credentialBackedUp: ["boolean", "required"],
      transports: ["text", "nullable"],
      name: ["text", "nullable"],
      lastUsedAt: ["date", "nullable"],
    },
    later: ["name", "lastUsedAt"],
  },
  spent: {
    name: "Spent",
    key: ["id"],
    columns: {
      id: ["key", "required"],
      expires: ["date", "required"],
    },
  },
  provenEmail: {
    name: "ProvenEmail",
    key: ["userId", "email"],
    columns: {
      userId: ["key", "required"],
      email: ["key", "required"],
      provider: ["text", "required"],
    },
  },
}
