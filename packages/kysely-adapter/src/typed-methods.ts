import type {
  AdapterAccount,
  AdapterAuthenticator,
  AdapterSession,
  AdapterUser,
  Awaitable,
  VerificationToken,
} from "@latchkey/core/adapters"
import type { SchemaOptions } from "./tables/schema-options.js"
import type { ColumnKind } from "./tables/table.js"

type Field<Kind> = Kind extends "number"
  ? number
  : Kind extends "boolean"
    ? boolean
    : Kind extends "date"
      ? Date
      : string

/** The fields that the extra columns of a table add to its records. */
export type ExtraFields<Table> = Table extends {
  readonly extra: infer Extra extends Readonly<Record<string, ColumnKind>>
}
  ? { -readonly [F in keyof Extra]: Field<Extra[F]> | null }
  : unknown

type Read<T, Table> = T & ExtraFields<Table>
type Written<T, Table> = T & Partial<ExtraFields<Table>>
type Changed<T, Key extends keyof T, Table> = Partial<Written<T, Table>> & Pick<T, Key>

type AccountKey = Pick<AdapterAccount, "provider" | "providerAccountId">

/** The methods of the contract, for records with your extra columns. */
export interface TypedMethods<O extends SchemaOptions> {
  createUser(user: Written<AdapterUser, O["user"]>): Awaitable<Read<AdapterUser, O["user"]>>
  getUser(id: string): Awaitable<Read<AdapterUser, O["user"]> | null>
  getUserByEmail(email: string): Awaitable<Read<AdapterUser, O["user"]> | null>
  getUserByAccount(account: AccountKey): Awaitable<Read<AdapterUser, O["user"]> | null>
  /** @throws Error when no user has the id */
  updateUser(user: Changed<AdapterUser, "id", O["user"]>): Awaitable<Read<AdapterUser, O["user"]>>
  deleteUser(userId: string): Awaitable<Read<AdapterUser, O["user"]> | null>
  linkAccount(account: Written<AdapterAccount, O["account"]>): Awaitable<Read<AdapterAccount, O["account"]>>
  unlinkAccount(account: AccountKey): Awaitable<Read<AdapterAccount, O["account"]> | undefined>
  getAccount(providerAccountId: string, provider: string): Awaitable<Read<AdapterAccount, O["account"]> | null>
  listAccountsByUserId(userId: string): Awaitable<Read<AdapterAccount, O["account"]>[]>
  createSession(session: Written<AdapterSession, O["session"]>): Awaitable<Read<AdapterSession, O["session"]>>
  getSessionAndUser(sessionToken: string): Awaitable<{
    session: Read<AdapterSession, O["session"]>
    user: Read<AdapterUser, O["user"]>
  } | null>
  updateSession(
    session: Changed<AdapterSession, "sessionToken", O["session"]>,
  ): Awaitable<Read<AdapterSession, O["session"]> | null>
  deleteSession(sessionToken: string): Awaitable<Read<AdapterSession, O["session"]> | null>
  createVerificationToken(
    token: Written<VerificationToken, O["verificationToken"]>,
  ): Awaitable<Read<VerificationToken, O["verificationToken"]>>
  useVerificationToken(params: {
    identifier: string
    token: string
  }): Awaitable<Read<VerificationToken, O["verificationToken"]> | null>
  createAuthenticator(
    authenticator: Written<AdapterAuthenticator, O["authenticator"]>,
  ): Awaitable<Read<AdapterAuthenticator, O["authenticator"]>>
  getAuthenticator(credentialID: string): Awaitable<Read<AdapterAuthenticator, O["authenticator"]> | null>
  listAuthenticatorsByUserId(userId: string): Awaitable<Read<AdapterAuthenticator, O["authenticator"]>[]>
  /** @throws Error when no authenticator has the id */
  updateAuthenticatorCounter(
    credentialID: string,
    newCounter: number,
  ): Awaitable<Read<AdapterAuthenticator, O["authenticator"]>>
  /** @throws Error when no authenticator has the id */
  updateAuthenticator(
    changes: Partial<AdapterAuthenticator> & Pick<AdapterAuthenticator, "credentialID">,
  ): Awaitable<Read<AdapterAuthenticator, O["authenticator"]>>
  deleteAuthenticator(credentialID: string): Awaitable<Read<AdapterAuthenticator, O["authenticator"]> | null>
}
