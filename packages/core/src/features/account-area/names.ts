import type { OwnSender } from "../../mail/own-sender.js"
import type { AdapterUser } from "../../types/adapter.js"
import type { Awaitable, JsonValue } from "../../types/basics.js"

/** The sections, in the order of the overview. */
export const sectionNames = [
  "profile",
  "email",
  "methods",
  "passkeys",
  "factors",
  "password",
  "sessions",
  "export",
  "delete",
] as const

/** The name of a section: the last segment of its path. */
export type AccountSection = (typeof sectionNames)[number]

/** The stylesheet, below the base path. */
export const stylesheetPath = "account/style.css"

/** The options of `accountArea()` with their defaults. */
export interface AccountSettings {
  /** In the order of the overview. */
  readonly sections: readonly AccountSection[]
  readonly exportUser: UserExport | undefined
  readonly beforeDelete: DeletionVeto | undefined
  /** Days. */
  readonly deleteAfterDays: number
  readonly picture: PictureOptions | undefined
}

/** Keeps pictures that users upload. */
export interface PictureStore {
  /**
   * Stores the picture of a user, and returns where it is: an http(s) URL, or a path on your site that starts with a slash.
   * Also `data:image/…`, if it is short. The file has the type that its first bytes say, and no name. `user.image` is the
   * former one.
   */
  readonly save: (file: Blob, user: AdapterUser) => Awaitable<string>
  /** Bytes of the largest file, at most 16 million. Default: 4000000. */
  readonly maxBytes?: number | undefined
}

/** The same with its default. */
export type PictureOptions = Pick<PictureStore, "save"> & { readonly maxBytes: number }

/** What the code of the account area shares. */
export interface OwnArea extends Pick<AccountSettings, "beforeDelete"> {
  /** What the option `mail` names. Undefined without it. */
  readonly findSender: () => OwnSender | undefined
}

/** Returns what the app keeps about a user, as JSON can have it. */
export type UserExport = (user: AdapterUser) => Awaitable<JsonValue>

/** Returns why the account must not be deleted, as a sentence for its user. Null allows it. */
export type DeletionVeto = (user: AdapterUser) => Awaitable<string | null | undefined>

/** The link that undoes a change of the address, below the base path. */
export const undoPath = "account/email/undo"

export const defaultSettings: AccountSettings = {
  sections: sectionNames,
  exportUser: undefined,
  beforeDelete: undefined,
  deleteAfterDays: 0,
  picture: undefined,
}
