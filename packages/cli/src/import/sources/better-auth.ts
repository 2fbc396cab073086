import { UsageError } from "../../config.js"
import type {
  ImportOptions,
  OpenSource,
  SourceAccount,
  SourceContext,
  SourcePasskey,
  SourceRow,
  SourceSurvey,
  SourceTotp,
  SourceUser,
} from "../records.js"
import {
  openSourceDatabase,
  readByPage,
  readFields,
  type SourceTable,
  type SourceTableRow,
  toFieldColumns,
} from "../source-tables.js"
import {
  isMicrosoftSubject,
  isTrue,
  readClaims,
  toDate,
  toFilledText,
  toLeftAccount,
  toList,
  toText,
} from "../values.js"
import { isSealedText, openSealedText } from "./sealed-text.js"

const userShape = {
  record: "user",
  columns: [
    ...(["id", "name", "email", "emailVerified", "image", "createdAt", "twoFactorEnabled", "isAnonymous"] as const),
    ...(["banned", "banExpires", "phoneNumber", "phoneNumberVerified"] as const),
  ],
  required: ["id", "email", "emailVerified"],
} as const
const accountShape = {
  record: "account",
  columns: [
    ...(["id", "userId", "providerId", "accountId", "password", "accessToken", "refreshToken", "idToken"] as const),
    ...(["accessTokenExpiresAt", "scope"] as const),
  ],
  required: ["id", "userId", "providerId", "accountId"],
} as const
const factorShape = {
  record: "twoFactor",
  columns: ["id", "userId", "secret", "backupCodes", "verified"],
  required: ["id", "userId", "secret", "backupCodes"],
} as const
const passkeyShape = {
  record: "passkey",
  columns: [
    ...(["id", "userId", "credentialID", "publicKey", "counter", "deviceType", "backedUp"] as const),
    ...(["transports", "name", "createdAt"] as const),
  ],
  required: ["id", "userId", "credentialID", "publicKey", "counter"],
} as const

type UserRow = SourceTableRow<(typeof userShape.columns)[number]>
type AccountRow = SourceTableRow<(typeof accountShape.columns)[number]>
type FactorRow = SourceTableRow<(typeof factorShape.columns)[number]>
type PasskeyRow = SourceTableRow<(typeof passkeyShape.columns)[number]>

interface Tables {
  readonly user: SourceTable<(typeof userShape.columns)[number]>
  readonly account: SourceTable<(typeof accountShape.columns)[number]>
  readonly twoFactor: SourceTable<(typeof factorShape.columns)[number]> | null
  readonly passkey: SourceTable<(typeof passkeyShape.columns)[number]> | null
}

/** The tables of Better Auth, 1.0 to 1.7. */
export const openBetterAuth: OpenSource = async (context) => {
  const { options, skipped } = context
  const database = await openSourceDatabase(context, "Better Auth")
  const secrets = readSecrets(context)
  const tables: Tables = {
    user: database.table(userShape, toFieldColumns(options)),
    account: database.table(accountShape),
    twoFactor: skipped?.has("factors") ? null : database.findTable(factorShape),
    passkey: database.findTable(passkeyShape),
  }
  return {
    name: "Better Auth",
    providerNames: { microsoft: "microsoft-entra-id" },
    fingerprint: database.fingerprint,
    survey: () => survey(tables, secrets),
    read: (after) => read(tables, { secrets, options }, after),
    close: () => database.close(),
  }
}

/** `secrets` of Better Auth may name each by a version, which is not needed: a seal tells which secret is right. */
function readSecrets({ options, environment }: SourceContext): readonly string[] {
  const { secret = [] } = options
  const configured = typeof secret === "string" ? [secret] : secret
  const versions = (environment["BETTER_AUTH_SECRETS"] ?? "")
    .split(",")
    .map((entry) => entry.trim().replace(/^\d+:/, ""))
  const single =
    configured.length === 0
      ? [...versions, environment["BETTER_AUTH_SECRET"] ?? environment["AUTH_SECRET"] ?? ""]
      : configured
  return single.filter((one) => one !== "")
}

async function survey(
  { user, account, twoFactor, passkey }: Tables,
  secrets: readonly string[],
): Promise<SourceSurvey> {
  if (twoFactor) await checkSecrets(twoFactor, secrets)
  const factors = (await twoFactor?.countFilled("secret")) ?? 0
  const providers = await account.tally("providerId")
  return {
    users: await user.count(),
    providers: new Map([...providers].filter(([provider]) => !isPassword(provider))),
    passwords: await account.countFilled("password"),
    totp: factors,
    recoveryCodes: factors,
    passkeys: (await passkey?.count()) ?? 0,
    remarks: [
      ...(user.has("phoneNumber") ? ["Nobody signs in by telephone here: phone numbers stay behind."] : []),
      ...(providers.has("siwe") ? ["Accounts of Ethereum wallets stay behind."] : []),
    ],
  }
}

/** How many second factors are opened before anything is written. */
const sampleSize = 200

/** @throws UsageError without a secret, or if none of the secrets can decrypt a second factor */
async function checkSecrets(table: NonNullable<Tables["twoFactor"]>, secrets: readonly string[]): Promise<void> {
  const sample = await table.page(undefined, sampleSize)
  if (sample.length === 0) return
  if (secrets.length === 0) {
    throw new UsageError(
      "Better Auth sealed the second factors with its secret. Set BETTER_AUTH_SECRET, or BETTER_AUTH_SECRETS, to what the " +
        "app has, or name it in latchkey.config.ts: import: { secret: process.env.BETTER_AUTH_SECRET }.",
    )
  }
  if (sample.some(({ secret }) => openText(secret, secrets) !== null)) return
  throw new UsageError("BETTER_AUTH_SECRET opens none of the second factors: it is not the secret of this database.")
}

function openText(sealed: unknown, secrets: readonly string[]): string | null {
  return typeof sealed === "string" ? openSealedText(sealed, secrets) : null
}

interface Reading {
  readonly secrets: readonly string[]
  readonly options: ImportOptions
}

function read(tables: Tables, reading: Reading, after: string | undefined): AsyncGenerator<SourceRow> {
  return readByPage(tables.user, after, async (ids) => {
    const accounts = await tables.account.rowsBy("userId", ids)
    const factors = await tables.twoFactor?.rowsBy("userId", ids)
    const passkeys = await tables.passkey?.rowsBy("userId", ids)
    return (row, id) => {
      const owned = { accounts: accounts.get(id), factors: factors?.get(id), passkeys: passkeys?.get(id) }
      return findRefusal(row) ?? toUser(row, owned, reading)
    }
  })
}

/** Users who could not sign in there must not be able to here. */
function findRefusal({ isAnonymous, banned, banExpires }: UserRow): string | null {
  if (isTrue(isAnonymous)) return "The user is anonymous"
  const until = toDate(banExpires)
  return isTrue(banned) && (until === null || until.getTime() > Date.now()) ? "The user is banned" : null
}

interface Owned {
  readonly accounts?: readonly AccountRow[] | undefined
  readonly factors?: readonly FactorRow[] | undefined
  readonly passkeys?: readonly PasskeyRow[] | undefined
}

function toUser(row: UserRow, { accounts = [], factors = [], passkeys = [] }: Owned, reading: Reading): SourceUser {
  const left: string[] = []
  const factor = isTrue(row.twoFactorEnabled) ? readFactors(factors, reading, left) : {}
  if (toFilledText(row.phoneNumber) !== null) left.push("The phone number: nobody signs in by telephone here")
  const linked = accounts.filter(({ providerId }) => !isPassword(String(providerId)))
  return {
    id: String(row.id),
    name: toFilledText(row.name),
    email: toText(row.email),
    emailVerified: isTrue(row.emailVerified) ? (toDate(row.createdAt) ?? new Date()) : null,
    image: toFilledText(row.image),
    fields: readFields(row, reading.options),
    accounts: linked.flatMap((account) => toAccount(account, reading, left) ?? []),
    password: accounts.map(({ password }) => toFilledText(password)).find((hash) => hash !== null) ?? null,
    passkeys: passkeys.map(toPasskey),
    ...factor,
    left,
  }
}

/** `email` is what some versions and plugins call it. */
function isPassword(provider: string): boolean {
  return provider === "credential" || provider === "email"
}

function toAccount(row: AccountRow, { secrets }: Reading, left: string[]): SourceAccount | null {
  const provider = String(row.providerId)
  if (provider === "siwe") {
    left.push("The account of an Ethereum wallet")
    return null
  }
  const idToken = openToken(row.idToken, secrets)
  const providerAccountId = toProviderAccountId(provider, String(row.accountId), idToken)
  if (providerAccountId === null) {
    left.push(toLeftAccount(provider))
    return null
  }
  const tokens = {
    access_token: openToken(row.accessToken, secrets),
    refresh_token: openToken(row.refreshToken, secrets),
  }
  if ([...Object.values(tokens), idToken].includes(undefined))
    left.push(`Tokens of ${provider}, sealed with another secret`)
  return {
    provider,
    providerAccountId,
    access_token: tokens.access_token ?? null,
    refresh_token: tokens.refresh_token ?? null,
    id_token: idToken ?? null,
    scope: toFilledText(row.scope)?.replaceAll(",", " ") ?? null,
    expires_at: toDate(row.accessTokenExpiresAt),
  }
}

/** Undefined if it is sealed and does not open. Tokens without a version may be hexadecimal without being sealed. */
function openToken(value: unknown, secrets: readonly string[]): string | null | undefined {
  const token = toFilledText(value)
  if (token === null || !isSealedText(token)) return token
  return openSealedText(token, secrets) ?? (token.startsWith("$ba$") ? undefined : token)
}

/**
 * Some providers have more than one ID of a user, and Better Auth chose another one than ours: with these, the user is found by
 * the subject of the ID token, if it was stored.
 */
function toProviderAccountId(provider: string, accountId: string, idToken: string | null | undefined): string | null {
  if (provider === "paypal") return accountId.slice(accountId.lastIndexOf("/") + 1)
  const isOther = provider === "salesforce" || (provider.startsWith("microsoft") && !isMicrosoftSubject(accountId))
  if (!isOther) return accountId
  return toFilledText(readClaims(idToken)?.["sub"])
}

function readFactors(
  rows: readonly FactorRow[],
  { secrets, options }: Reading,
  left: string[],
): Pick<SourceUser, "totp" | "recoveryCodes"> {
  const totp: SourceTotp[] = []
  const recoveryCodes: string[] = []
  for (const { secret, backupCodes, verified } of rows) {
    const text = openText(secret, secrets)
    const isConfirmed = verified === undefined || verified === null || isTrue(verified)
    if (isConfirmed && text !== null) totp.push({ secret: toBase32(text), ...options.totp })
    else if (isConfirmed) left.push("The authenticator app, sealed with another secret")
    const codes = toText(backupCodes) ?? ""
    const list = codes.startsWith("[") ? codes : openText(codes, secrets)
    if (list === null) left.push("The recovery codes, sealed with another secret or by the app itself")
    else recoveryCodes.push(...toList(list).filter((code) => typeof code === "string"))
  }
  if (totp.length === 0)
    left.push("The second factor: without one that comes along, the user signs in with the first alone")
  return { totp, recoveryCodes }
}

const base32Letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"

/** The bytes of the text are the key, unless it was moved into Better Auth from elsewhere. */
function toBase32(text: string): string {
  if (text.startsWith("base32:")) return text.slice("base32:".length).toUpperCase()
  let letters = ""
  let bits = 0
  let count = 0
  for (const byte of new TextEncoder().encode(text)) {
    bits = ((bits << 8) | byte) & 0xfff
    count += 8
    for (; count >= 5; count -= 5) letters += base32Letters[(bits >> (count - 5)) & 31]
  }
  return count === 0 ? letters : letters + base32Letters[(bits << (5 - count)) & 31]
}

function toPasskey(row: PasskeyRow): SourcePasskey {
  const isMulti = row.deviceType === "multiDevice"
  return {
    credentialId: String(row.credentialID),
    publicKey: String(row.publicKey),
    counter: Number(row.counter),
    deviceType: isMulti ? "multiDevice" : "singleDevice",
    isBackedUp: isTrue(row.backedUp),
    transports: (toText(row.transports) ?? "").split(",").filter((transport) => transport !== ""),
    name: toFilledText(row.name),
    createdAt: toDate(row.createdAt),
  }
}
