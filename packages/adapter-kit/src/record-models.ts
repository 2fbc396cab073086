/** What a field of the contract holds. A `key` finds rows: it only matches the very same text. */
export type FieldKind = "key" | "text" | "number" | "boolean" | "date"

/** `required`: never null. `nullable`: may be null. `optional`: null in the database means that the record lacks the field. */
export type Presence = "required" | "nullable" | "optional"

/** A record of the contract: its fields and its key. */
export interface RecordModel {
  /** The fields that identify one row; unique in the database. */
  readonly key: readonly string[]
  readonly fields: Readonly<Record<string, readonly [FieldKind, Presence]>>
  /** Fields that were added after the first release; a host's table may lack them. */
  readonly later?: readonly string[] | undefined
}

/** The records of tables that a host may leave out. */
export type OptionalRecord =
  | "spent"
  | "provenEmail"
  | "temporary"
  | "sessionDetail"
  | "password"
  | "factor"
  | "accountChange"

/**
 * The records of the contract, named as most stores name their tables. `spent` holds consumed ids (completed sign-in
 * flows and passkey challenges), `provenEmail` verified emails, `temporary` values and leases that expire, `factor`
 * second factors, `accountChange` changes that can be undone or are planned; the names are stored in schemas, so they stay.
 */
export type RecordName = "user" | "account" | "session" | "verificationToken" | "authenticator" | OptionalRecord

/** The fields of each record. camelCase, except for the fields that OAuth defines in snake_case. */
export const recordModels: Readonly<Record<RecordName, RecordModel>> = {
  user: {
    key: ["id"],
    fields: {
      id: ["key", "required"],
      name: ["text", "nullable"],
      email: ["key", "nullable"],
      emailVerified: ["date", "nullable"],
      image: ["text", "nullable"],
    },
  },
  account: {
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
  session: {
    key: ["sessionToken"],
    fields: {
      sessionToken: ["key", "required"],
      userId: ["key", "required"],
      expires: ["date", "required"],
    },
  },
  verificationToken: {
    key: ["identifier", "token"],
    fields: {
      identifier: ["key", "required"],
      token: ["key", "required"],
      expires: ["date", "required"],
    },
  },
  authenticator: {
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
  spent: {
    key: ["id"],
    fields: {
      id: ["key", "required"],
      expires: ["date", "required"],
    },
  },
  provenEmail: {
    key: ["userId", "email"],
    fields: {
      userId: ["key", "required"],
      email: ["key", "required"],
      provider: ["text", "required"],
    },
  },
  temporary: {
    key: ["id"],
    fields: {
      id: ["key", "required"],
      value: ["text", "required"],
      expires: ["date", "required"],
    },
  },
  sessionDetail: {
    key: ["id"],
    fields: {
      id: ["key", "required"],
      userId: ["key", "required"],
      sessionToken: ["key", "nullable"],
      provider: ["key", "required"],
      providerAccountId: ["key", "required"],
      providerSession: ["key", "nullable"],
      amr: ["text", "required"],
      createdAt: ["date", "required"],
      lastSeenAt: ["date", "required"],
      expires: ["date", "required"],
      userAgent: ["text", "nullable"],
      network: ["text", "nullable"],
      label: ["text", "nullable"],
    },
  },
  password: {
    key: ["userId"],
    fields: {
      userId: ["key", "required"],
      hash: ["text", "required"],
      changedAt: ["date", "required"],
    },
  },
  factor: {
    key: ["id"],
    fields: {
      id: ["key", "required"],
      userId: ["key", "required"],
      kind: ["text", "required"],
      secret: ["text", "required"],
      label: ["text", "nullable"],
      lastStep: ["number", "nullable"],
      version: ["number", "required"],
      createdAt: ["date", "required"],
      lastUsedAt: ["date", "nullable"],
    },
  },
  accountChange: {
    key: ["id"],
    fields: {
      id: ["key", "required"],
      userId: ["key", "required"],
      kind: ["key", "required"],
      value: ["text", "required"],
      expires: ["date", "required"],
    },
  },
}
