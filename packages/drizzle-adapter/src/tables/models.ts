/** What a field of the contract holds. `key`: text by which rows are found, never anything but the very same text. */
export type FieldKind = "key" | "text" | "number" | "boolean" | "date"

/**
 * `required`: never null. `nullable`: null is a value, and comes back as null. `optional`: null means that the field is
 * absent, and it comes back absent.
 */
export type Presence = "required" | "nullable" | "optional"

export interface Model {
  /** The fields that together find one row; unique in the database. */
  readonly key: readonly string[]
  readonly fields: Readonly<Record<string, readonly [FieldKind, Presence]>>
  /** Fields for which a table need not have columns. */
  readonly later?: readonly string[]
}

export type TableName =
  | "usersTable"
  | "accountsTable"
  | "sessionsTable"
  | "verificationTokensTable"
  | "authenticatorsTable"
  | "spentTable"
  | "provenEmailsTable"

/** The records of the contract, by the table that holds them. */
export const models: Readonly<Record<TableName, Model>> = {
  usersTable: {
    key: ["id"],
    fields: {
      id: ["key", "required"],
      name: ["text", "nullable"],
      email: ["key", "nullable"],
      emailVerified: ["date", "nullable"],
      image: ["text", "nullable"],
    },
  },
  accountsTable: {
    key: ["provider", "providerAccountId"],
    fields: {
      userId: ["key", "required"],
      type: ["text", "required"],
      provider: ["key", "required"],
      providerAccountId: ["key", "required"],
      refresh_token: ["text", "optional"],
      access_token: ["text", "optional"],
      expires_at: ["number", "optional"],
      token_type: ["text", "optional"],
      scope: ["text", "optional"],
      id_token: ["text", "optional"],
      session_state: ["text", "optional"],
    },
  },
  sessionsTable: {
    key: ["sessionToken"],
    fields: {
      sessionToken: ["key", "required"],
      userId: ["key", "required"],
      expires: ["date", "required"],
    },
  },
  verificationTokensTable: {
    key: ["identifier", "token"],
    fields: {
      identifier: ["key", "required"],
      token: ["key", "required"],
      expires: ["date", "required"],
    },
  },
  authenticatorsTable: {
    key: ["credentialID"],
    fields: {
      credentialID: ["key", "required"],
      userId: ["key", "required"],
      providerAccountId: ["key", "required"],
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
  spentTable: {
    key: ["id"],
    fields: {
      id: ["key", "required"],
      expires: ["date", "required"],
    },
  },
  provenEmailsTable: {
    key: ["userId", "email"],
    fields: {
      userId: ["key", "required"],
      email: ["key", "required"],
      provider: ["text", "required"],
    },
  },
}
