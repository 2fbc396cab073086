import type { ImportOptions, OpenSource, SourceAccount, SourcePasskey, SourceSurvey, SourceUser } from "../records.js"
import {
  openSourceDatabase,
  readByPage,
  readFields,
  type SourceTable,
  type SourceTableRow,
  toFieldColumns,
} from "../source-tables.js"
import { isTrue, toDate, toFilledText, toText, toVerified } from "../values.js"

const userShape = {
  record: "user",
  columns: ["id", "name", "email", "emailVerified", "image", "password", "createdAt"],
  required: ["id", "email"],
} as const
const accountShape = {
  record: "account",
  // Not every adapter gives accounts an ID.
  columns: [
    ...(["userId", "type", "provider", "providerAccountId", "access_token", "refresh_token", "id_token"] as const),
    ...(["scope", "token_type", "expires_at", "session_state"] as const),
  ],
  required: ["userId", "type", "provider", "providerAccountId"],
} as const
const authenticatorShape = {
  record: "authenticator",
  columns: [
    ...(["credentialID", "userId", "credentialPublicKey", "counter", "credentialDeviceType"] as const),
    ...(["credentialBackedUp", "transports"] as const),
  ],
  required: ["credentialID", "userId", "credentialPublicKey", "counter"],
} as const

type UserColumn = (typeof userShape.columns)[number]
type AccountColumn = (typeof accountShape.columns)[number]
type AuthenticatorColumn = (typeof authenticatorShape.columns)[number]

interface Tables {
  readonly user: SourceTable<UserColumn>
  readonly account: SourceTable<AccountColumn>
  readonly authenticator: SourceTable<AuthenticatorColumn> | null
}

/** The tables of the adapters of Auth.js, for next-auth 4 and 5, whose names differ. */
export const openNextAuth: OpenSource = async (context) => {
  const { options } = context
  const database = await openSourceDatabase(context, "Auth.js")
  const tables: Tables = {
    user: database.table(userShape, toFieldColumns(options)),
    account: database.table(accountShape),
    authenticator: database.findTable(authenticatorShape),
  }
  const hasPassword = tables.user.has("password") && options.columns?.["user"]?.["password"] !== undefined
  return {
    name: "Auth.js",
    providerNames: {},
    fingerprint: database.fingerprint,
    survey: () => survey(tables, hasPassword),
    read: (after) =>
      readByPage(tables.user, after, async (ids) => {
        const accounts = await tables.account.rowsBy("userId", ids)
        const passkeys = await tables.authenticator?.rowsBy("userId", ids)
        return (row, id) => ({
          ...toUser(row, options),
          password: hasPassword ? toFilledText(row.password) : null,
          accounts: (accounts.get(id) ?? []).filter(isLinked).map(toAccount),
          passkeys: (passkeys?.get(id) ?? []).map(toPasskey),
        })
      }),
    close: () => database.close(),
  }
}

async function survey({ user, account, authenticator }: Tables, hasPassword: boolean): Promise<SourceSurvey> {
  const providers = await account.tally("provider")
  const isOther = user.has("password") && !hasPassword
  return {
    users: await user.count(),
    providers: new Map([...providers].filter(([provider]) => isProvider(provider))),
    passwords: hasPassword ? await user.countFilled("password") : 0,
    totp: 0,
    recoveryCodes: 0,
    passkeys: (await authenticator?.count()) ?? 0,
    remarks: isOther
      ? [
          `The table "${user.name}" has a column "password", which stays behind. If it has hashes, name it: ` +
            `import: { columns: { user: { password: "password" } } }.`,
        ]
      : [],
  }
}

/** What becomes of these is found with the passkey, the address or the password. */
function isProvider(provider: string): boolean {
  return !["passkey", "webauthn", "credentials", "email"].includes(provider)
}

function isLinked({ type, provider }: SourceTableRow<AccountColumn>): boolean {
  return isProvider(String(type)) && isProvider(String(provider))
}

function toUser(row: SourceTableRow<UserColumn>, options: ImportOptions): SourceUser {
  return {
    id: String(row.id),
    name: toFilledText(row.name),
    email: toText(row.email),
    emailVerified: toVerified(row.emailVerified, row.createdAt),
    image: toFilledText(row.image),
    fields: readFields(row, options),
  }
}

function toAccount(row: SourceTableRow<AccountColumn>): SourceAccount {
  const type = toText(row.type)
  return {
    provider: String(row.provider),
    providerAccountId: String(row.providerAccountId),
    ...((type === "oauth" || type === "oidc") && { type }),
    access_token: toFilledText(row.access_token),
    refresh_token: toFilledText(row.refresh_token),
    id_token: toFilledText(row.id_token),
    scope: toFilledText(row.scope),
    token_type: toFilledText(row.token_type),
    expires_at: toDate(row.expires_at),
    session_state: toFilledText(row.session_state),
  }
}

function toPasskey(row: SourceTableRow<AuthenticatorColumn>): SourcePasskey {
  return {
    credentialId: String(row.credentialID),
    publicKey: String(row.credentialPublicKey),
    counter: Number(row.counter),
    deviceType: row.credentialDeviceType === "multiDevice" ? "multiDevice" : "singleDevice",
    isBackedUp: isTrue(row.credentialBackedUp),
    transports: (toText(row.transports) ?? "").split(",").filter((transport) => transport !== ""),
  }
}
