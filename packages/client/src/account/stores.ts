import type { AuthClient } from "../auth-client.js"
import { currentClient } from "../auth-functions.js"
import { navigateTo, readField, readString, toHttpUrl, withoutError } from "../protocol.js"
import type { ServiceAction } from "../service.js"
import {
  type AccountConnection,
  type AccountStore,
  type ActionResult,
  type Change,
  getStore,
  type Post,
} from "./resource.js"
import type { Account, AccountFactor, AccountSession, TotpEnrolled, TotpSetup } from "./shapes.js"

/** What can be done with the account. A failure is in the result and in the state. */
export interface AccountActions {
  /** One that is left out stays; an empty one is removed. */
  readonly saveProfile: (profile: {
    readonly name?: string | undefined
    readonly image?: string | undefined
  }) => Promise<ActionResult<object>>
  /** Sends a code and a link to the new address. The address changes when one of them is used in this browser. */
  readonly changeEmail: (email: string) => Promise<ActionResult<object>>
  /** The code of the mail that `changeEmail` sent. */
  readonly confirmEmail: (code: string) => Promise<ActionResult<object>>
  /** Adds an account at a provider: the browser is sent there and returns to the current page, or to `redirectTo`. */
  readonly link: (
    provider: string,
    options?: { readonly redirectTo?: string | undefined },
  ) => Promise<ActionResult<object>>
  /** Removes an account at a provider. */
  readonly unlink: (account: {
    readonly provider: string
    readonly providerAccountId: string | null
  }) => Promise<ActionResult<{ readonly removed: number }>>
  /** An empty name removes it. */
  readonly renamePasskey: (id: string, name: string) => Promise<ActionResult<object>>
  readonly removePasskey: (id: string) => Promise<ActionResult<{ readonly removed: number }>>
  /**
   * Changes the password. A user without one sends `code` instead of `current`: that of the mail of `sendPasswordCode`. All
   * other sessions end.
   */
  readonly changePassword: (change: {
    readonly current?: string | undefined
    readonly code?: string | undefined
    readonly password: string
  }) => Promise<ActionResult<object>>
  /** Mails a code to a user who has no password. */
  readonly sendPasswordCode: () => Promise<ActionResult<object>>
  /** What is kept about the user; once an hour. */
  readonly exportData: () => Promise<ActionResult<object>>
  /** Deletes the account and signs out. @param confirmation what `sections.delete.confirmation` says, typed by the user */
  readonly deleteAccount: (confirmation: string) => Promise<ActionResult<{ readonly deletedAfterDays: number }>>
}

/** What can be done with the sessions. A failure is in the result and in the state. */
export interface SessionsActions {
  /** Ends a session. Ending the one of this browser signs out. */
  readonly end: (id: string) => Promise<ActionResult<{ readonly ended: number }>>
  /** Ends all sessions but the one of this browser. */
  readonly endOthers: () => Promise<ActionResult<{ readonly ended: number }>>
}

/** What can be done with the second factors. A failure is in the result and in the state. */
export interface FactorsActions {
  /** Begins to set up an authenticator app. */
  readonly beginTotp: () => Promise<ActionResult<TotpSetup>>
  /** The first code of the app. The answer has recovery codes, which are shown once. */
  readonly confirmTotp: (first: {
    readonly ticket: string
    readonly code: string
    readonly label?: string | undefined
  }) => Promise<ActionResult<TotpEnrolled>>
  /** Replaces the recovery codes. They are shown once. */
  readonly createRecoveryCodes: () => Promise<ActionResult<{ readonly recoveryCodes: readonly string[] }>>
  readonly remove: (id: string) => Promise<ActionResult<{ readonly removed: number }>>
}

/** The account of the signed-in user, over `GET account`. */
export type OwnAccountStore = AccountStore<Account, AccountActions>
/** The sessions of the signed-in user, over `GET account/sessions`. */
export type OwnSessionsStore = AccountStore<readonly AccountSession[], SessionsActions>
/** The second factors of the signed-in user, over `GET account/factors`. */
export type OwnFactorsStore = AccountStore<readonly AccountFactor[], FactorsActions>

/** The store of the session, and its client if it is not the one that `configureAuth` configures. */
export interface AccountStoreOptions extends Pick<AccountConnection, "session"> {
  readonly client?: AuthClient | undefined
}

const connect = ({ session, client = currentClient() }: AccountStoreOptions): AccountConnection => ({ session, client })

/**
 * The account of the signed-in user. Everything on the page with the same store of the session shares one.
 * @example
 * const account = getAccountStore({ session })
 * account.subscribe(() => show(account.getState()))
 */
export function getAccountStore(options: AccountStoreOptions): OwnAccountStore {
  return getStore(
    { path: ["account"], select: (answer) => answer as Account, toActions: toAccountActions },
    connect(options),
  )
}

/** The sessions of the signed-in user; see `getAccountStore`. */
export function getSessionsStore(options: AccountStoreOptions): OwnSessionsStore {
  return getStore(
    { path: ["account", "sessions"], select: toList("sessions"), toActions: toSessionsActions },
    connect(options),
  )
}

/** The second factors of the signed-in user; see `getAccountStore`. */
export function getFactorsStore(options: AccountStoreOptions): OwnFactorsStore {
  return getStore(
    { path: ["account", "factors"], select: toList("factors"), toActions: toFactorsActions },
    connect(options),
  )
}

const toList =
  <Item>(name: string) =>
  (answer: object): readonly Item[] =>
    (readField(answer, name) as readonly Item[] | undefined) ?? [] // The service fixes the shape.

const inSection = (section: string): Change["to"] => ["account", section]
const passwordChange: readonly [ServiceAction, string] = ["password", "change"]

function toAccountActions(post: Post): AccountActions {
  return {
    saveProfile: (profile) => post({ to: inSection("profile"), action: "save", fields: profile, changesSession: true }),
    changeEmail: (email) => post({ to: inSection("email"), action: "send", fields: { email } }),
    confirmEmail: (code) => post({ to: inSection("email"), action: "confirm", fields: { code }, changesSession: true }),
    async link(provider, { redirectTo = location.href } = {}) {
      const fields = { provider, callbackUrl: withoutError(redirectTo) }
      const result = await post<{ readonly url: string }>({ to: inSection("methods"), action: "link", fields })
      const target = result.error ? null : toHttpUrl(readString(result.answer, "url"), location.href)
      if (target) navigateTo(target.href)
      return result
    },
    unlink: ({ provider, providerAccountId }) =>
      post({ to: inSection("methods"), action: "unlink", fields: { provider, id: providerAccountId ?? "" } }),
    renamePasskey: (id, name) => post({ to: inSection("passkeys"), action: "rename", fields: { id, name } }),
    removePasskey: (id) => post({ to: inSection("passkeys"), action: "remove", fields: { id } }),
    changePassword: (change) => post({ to: passwordChange, fields: change }),
    sendPasswordCode: () => post({ to: passwordChange, action: "send-code" }),
    exportData: () => post({ to: inSection("export"), action: "download" }),
    deleteAccount: (confirm) =>
      post({ to: inSection("delete"), action: "delete", fields: { confirm }, changesSession: true }),
  }
}

function toSessionsActions(post: Post): SessionsActions {
  return {
    end: (id) => post({ to: inSection("sessions"), action: "end", fields: { id }, changesSession: true }),
    endOthers: () => post({ to: inSection("sessions"), action: "end-others" }),
  }
}

function toFactorsActions(post: Post): FactorsActions {
  return {
    beginTotp: () => post({ to: inSection("factors"), action: "begin-totp" }),
    confirmTotp: (first) => post({ to: inSection("factors"), action: "confirm-totp", fields: first }),
    createRecoveryCodes: () => post({ to: inSection("factors"), action: "create-recovery-codes" }),
    remove: (id) => post({ to: inSection("factors"), action: "remove", fields: { id } }),
  }
}
