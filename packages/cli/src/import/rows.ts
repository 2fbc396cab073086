import type { AdapterAccount, AdapterUser, ImportedUser } from "@latchkey/core/adapters"
import { normalizeEmailAddress } from "@latchkey/core/diagnosis"
import { createMemory } from "./memory.js"
import type { SourceAccount, SourceUser } from "./records.js"
import { type CredentialRows, type Credentials, type Maker, RowRefused } from "./sealed-rows.js"

/** What can be left out with `--skip`. */
export const parts = ["passwords", "factors", "passkeys"] as const
export type Part = (typeof parts)[number]

/** How rows are made of users. */
export interface RowOptions {
  /** The types of the app's providers by their ids, if they are known. */
  readonly types: ReadonlyMap<string, string> | null
  /** Makes passwords, factors and passkeys. Null if only a database is known. */
  readonly maker: Maker | null
  readonly skipped: ReadonlySet<Part>
  /** Our id of a provider by the source's name. Null leaves out its accounts. */
  toProvider(name: string): string | null
  /** Names the source where no provider has verified an address. */
  readonly sourceId: string
}

/** A user as they are stored, and sentences about what cannot come along. */
export interface UserRows {
  readonly rows: ImportedUser
  /** Makes the factors again, for a user with another id. */
  readonly sealFor: (userId: string) => Promise<ImportedUser["factors"]>
  /** The address as the source has it, if it is stored in another form. */
  readonly givenEmail: string | undefined
  readonly left: readonly string[]
}

/**
 * Returns a function that makes the rows of a user. It stores nothing: hashing and sealing take longer than a transaction may.
 * The function throws `RowRefused`.
 */
export function createRowMaker(options: RowOptions): (user: SourceUser) => Promise<UserRows> {
  const { maker, skipped, sourceId } = options
  const seen = createMemory()
  return async (source) => {
    const user = toUser(source)
    const accounts = toAccounts(source, options)
    const proof = user.email && user.emailVerified ? (accounts[0]?.provider ?? sourceId) : null
    const verifiedEmail = proof === null ? null : { userId: user.id, email: user.email, provider: proof }
    const wanted = chooseCredentials(source, skipped)
    if (wanted.password && wanted.password.length <= maxHashLength && seen.add(wanted.password))
      throw new RowRefused("Another user has the same hash, salt included")
    const { left, ...made } = await makeCredentials(user, wanted, maker)
    const rows = { user, ...made, accounts: [...accounts, ...made.accounts], verifiedEmail }
    const givenEmail = source.email && source.email !== user.email ? source.email : undefined
    const factors = { ...wanted, password: null, accounts: [] }
    const sealFor = async (id: string) => (await makeCredentials({ ...user, id }, factors, maker)).factors
    return { rows, sealFor, givenEmail, left: [...(source.left ?? []), ...left] }
  }
}

function chooseCredentials(source: SourceUser, skipped: ReadonlySet<Part>): Credentials {
  const list = <T>(part: Part, values: readonly T[] | undefined): readonly T[] =>
    skipped.has(part) ? [] : (values ?? [])
  return {
    password: (skipped.has("passwords") ? null : source.password) || null,
    totp: list("factors", source.totp),
    recoveryCodes: list("factors", source.recoveryCodes),
    passkeys: list("passkeys", source.passkeys),
  }
}

const nothing: CredentialRows = { accounts: [], password: null, factors: [], passkeys: [], left: [] }

async function makeCredentials(user: AdapterUser, wanted: Credentials, maker: Maker | null): Promise<CredentialRows> {
  const { password, totp, recoveryCodes, passkeys } = wanted
  if (password === null && totp.length + recoveryCodes.length + passkeys.length === 0) return nothing
  if (maker) return maker(user, wanted)
  throw new RowRefused("Passwords, factors and passkeys need the app's configuration. Name it with --config")
}

/** Longer than any hash that is accepted. */
const maxHashLength = 10_000
const maxIdLength = 255

function toUser({ id, email, emailVerified, name, image, fields = {} }: SourceUser): AdapterUser {
  assertText(id, "The id", maxIdLength)
  if (name) assertText(name, "The name", 10_000)
  if (image) assertText(image, "The image", 100_000)
  if (emailVerified && Number.isNaN(emailVerified.valueOf())) throw new RowRefused("emailVerified is not a date")
  const own = ["id", "name", "email", "emailVerified", "image"]
  const more = Object.fromEntries(Object.entries(fields).filter(([field]) => !own.includes(field)))
  const address = email ? toAddress(email) : null
  return {
    ...more,
    id,
    name: name ?? null,
    email: address as string, // as: the column may be null, although the contract's type does not say so.
    emailVerified: address === null ? null : (emailVerified ?? null),
    image: image ?? null,
  }
}

/** @throws RowRefused for an address that is not one plain address: with quotes, mail servers read it differently */
function toAddress(email: string): string {
  try {
    return normalizeEmailAddress(email)
  } catch (error) {
    throw new RowRefused(error instanceof Error ? error.message : "The address is not valid", { cause: error })
  }
}

/** Databases refuse half a character, and some the character U+0000. */
function assertText(text: string, subject: string, maxLength: number): void {
  if (text === "") throw new RowRefused(`${subject} is empty`)
  if (text.length > maxLength) throw new RowRefused(`${subject} is longer than ${maxLength} characters`)
  if (/\p{Cc}/u.test(text) || !text.isWellFormed())
    throw new RowRefused(`${subject} has characters that no store keeps`)
}

function toAccounts({ id, accounts = [] }: SourceUser, { types, toProvider }: RowOptions): readonly AdapterAccount[] {
  const made = new Map<string, AdapterAccount>()
  for (const account of accounts) {
    const provider = toProvider(account.provider)
    if (provider === null) continue
    const { providerAccountId } = account
    assertText(providerAccountId, "The id of an account at its provider", 2000)
    const isOidc = (types?.get(provider) ?? account.type) === "oidc"
    const type = isOidc ? "oidc" : "oauth"
    const key = JSON.stringify([provider, providerAccountId])
    made.set(key, { userId: id, type, provider, providerAccountId, ...toTokens(account) })
  }
  return [...made.values()]
}

const tokenFields = ["access_token", "refresh_token", "id_token", "scope", "session_state"] as const

/** Instants are seconds. */
function toTokens(account: SourceAccount): Partial<AdapterAccount> {
  const tokens: Partial<AdapterAccount> = {}
  for (const field of tokenFields) if (account[field]) tokens[field] = account[field]
  const { expires_at: at, token_type: type } = account
  const seconds = at instanceof Date ? at.valueOf() / 1000 : at
  if (typeof seconds === "number" && Number.isFinite(seconds)) tokens.expires_at = Math.floor(seconds)
  if (type) tokens.token_type = type.toLowerCase() as Lowercase<string> // as: just made so
  return tokens
}
