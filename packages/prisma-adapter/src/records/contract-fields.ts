/** What a field of the contract holds. `key`: text by which rows are found, never anything but the very same text. */
export type FieldKind = "key" | "text" | "number" | "boolean" | "date"

/**
 * `required`: never null. `nullable`: null is a value, and comes back as null. `optional`: null means that the field is
 * absent, and it comes back absent.
 */
export type Presence = "required" | "nullable" | "optional"

export interface ContractModel {
  readonly fields: Readonly<Record<string, readonly [FieldKind, Presence]>>
  /** Fields that a model need not have. */
  readonly later?: readonly string[]
}

export type ModelName = "user" | "account" | "session" | "verificationToken" | "authenticator" | "spent" | "provenEmail"

/** The records of the contract, by the model that holds them. */
export const contractModels: Readonly<Record<ModelName, ContractModel>> = {
  user: {
    fields: {
      id: ["key", "required"],
      name: ["text", "nullable"],
      email: ["key", "nullable"],
      emailVerified: ["date", "nullable"],
      image: ["text", "nullable"],
    },
  },
  account: {
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
    fields: {
      sessionToken: ["key", "required"],
      userId: ["key", "required"],
      expires: ["date", "required"],
    },
  },
  verificationToken: {
    fields: {
      identifier: ["key", "required"],
      token: ["key", "required"],
      expires: ["date", "required"],
    },
  },
  authenticator: {
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
    fields: {
      id: ["key", "required"],
      expires: ["date", "required"],
    },
  },
  provenEmail: {
    fields: {
      userId: ["key", "required"],
      email: ["key", "required"],
      provider: ["text", "required"],
    },
  },
}
