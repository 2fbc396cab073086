// What the account area of the service answers, as JSON. Instants are texts in ISO 8601.

/** The user and the parts of the account area that the service offers. */
export interface Account {
  readonly user: {
    readonly id: string
    readonly name: string | null
    readonly email: string
    readonly image: string | null
  }
  /** Whether the user re-authenticated recently. If not, changes fail with the code `confirm`. */
  readonly isFresh: boolean
  /** Those that the option `sections`, the configuration or the store leaves out are undefined. */
  readonly sections: AccountSections
}

/** See {@link Account}. */
export interface AccountSections {
  readonly profile?: { readonly name: string | null; readonly image: string | null }
  readonly email?: {
    readonly email: string | null
    /** Whether a mail has proved it. */
    readonly isVerified: boolean
    /** The address that this browser asked for and that is not confirmed yet. */
    readonly pending: string | null
  }
  readonly methods?: {
    readonly methods: readonly AccountSignInMethod[]
    /** The providers at which an account can be added. */
    readonly linkable: readonly { readonly provider: string; readonly name: string }[]
  }
  readonly passkeys?: {
    readonly passkeys: readonly AccountPasskey[]
    /** Whether the store keeps names. */
    readonly canRename: boolean
  }
  readonly factors?: { readonly factors: readonly AccountFactor[] }
  readonly password?: {
    readonly hasPassword: boolean
    /** When it was chosen. Null without one. */
    readonly changedAt: string | null
  }
  readonly sessions?: { readonly sessions: readonly AccountSession[] }
  readonly export?: {
    /** Seconds between two downloads. */
    readonly everySeconds: number
  }
  readonly delete?: {
    /** What the user has to type. */
    readonly confirmation: string
    /** Days until the account is deleted. */
    readonly afterDays: number
  }
}

/** A sign-in method of the user. */
export interface AccountSignInMethod {
  readonly kind: "account" | "passkey" | "password" | "email"
  /** Id of the provider. */
  readonly provider: string
  /** The id of the user at the provider, or of the passkey. Null for a password and for mails. */
  readonly providerAccountId: string | null
  /** Name of the provider. */
  readonly name: string
  /** Whether the user can sign in with it now. */
  readonly works: boolean
  /** Whether `unlink` removes it: an account that is not the last method that works. */
  readonly canUnlink: boolean
}

/** A passkey of the user. */
export interface AccountPasskey {
  readonly id: string
  /** The name that the user gave it. */
  readonly name: string | null
  /** Whether it is synced to other devices of the user. */
  readonly isSynced: boolean
  /** Whether it is on a key that is plugged in or held to the device. */
  readonly isSecurityKey: boolean
  readonly lastUsedAt: string | null
  /** Whether `removePasskey` removes it: it is not the last sign-in method that works. */
  readonly canRemove: boolean
}

/** A session of the user. */
export interface AccountSession {
  /** Identifies the session for `end`. It is not a token and gives no access. */
  readonly id: string
  readonly createdAt: string
  readonly lastSeenAt: string
  /** The browser and the system in words, such as `Firefox on Windows`. Null if unknown. */
  readonly device: string | null
  /** As it was sent. Untrusted: a visitor can send any text. */
  readonly userAgent: string | null
  /** The network that the user signed in from, such as `192.0.2.0/24`. */
  readonly network: string | null
  /** The name that the option `device` gave. */
  readonly label: string | null
  /** Id of the provider that the user signed in with. */
  readonly provider: string | null
  /** Whether it is the session of this browser. */
  readonly isCurrent: boolean
}

/** A second factor of the user. */
export interface AccountFactor {
  readonly id: string
  readonly kind: "totp" | "recovery"
  /** The name that the user gave it. */
  readonly label: string | null
  readonly createdAt: string
  readonly lastUsedAt: string | null
  /** How many recovery codes are left. Null for other kinds. */
  readonly codesLeft: number | null
}

/** An authenticator app that is being set up. */
export interface TotpSetup {
  /** Send it back with the first code. */
  readonly ticket: string
  /** The secret in base32, for people who cannot scan. */
  readonly secret: string
  /** The same as a key URI: `otpauth://totp/…`. */
  readonly uri: string
  /** The URI as a QR code, an SVG image. Null if the service cannot make one. */
  readonly qr: string | null
}

/** What was set up. */
export interface TotpEnrolled {
  readonly factor: AccountFactor
  /** Recovery codes of a user who had none. They are shown once. */
  readonly recoveryCodes: readonly string[] | null
}
