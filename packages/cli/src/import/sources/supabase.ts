import type { ImportOptions, OpenSource, SourceContext, SourceRow, SourceSurvey, SourceUser } from "../records.js"
import {
  openSourceDatabase,
  readByPage,
  readFields,
  type SourceTable,
  type SourceTableRow,
  toFieldColumns,
} from "../source-tables.js"
import { getOwn, isFilled, isTrue, toDate, toFilledText, toObject } from "../values.js"
import { loadDump } from "./supabase-dump.js"

const userShape = {
  record: "user",
  names: ["auth.users"],
  columns: [
    ...(["id", "email", "phone", "encrypted_password", "email_confirmed_at", "raw_user_meta_data"] as const),
    ...(["raw_app_meta_data", "banned_until", "deleted_at", "is_anonymous", "is_sso_user"] as const),
  ],
  required: ["id", "email", "encrypted_password", "email_confirmed_at"],
} as const
/** `provider_id` was called `id` until 2023. */
const identityShape = {
  record: "identity",
  names: ["auth.identities"],
  columns: ["id", "user_id", "provider", "provider_id"],
  required: ["id", "user_id", "provider"],
} as const
const factorShape = {
  record: "factor",
  names: ["auth.mfa_factors"],
  columns: ["id", "user_id", "friendly_name", "factor_type", "status", "secret", "created_at"],
  required: ["id", "user_id", "factor_type", "status", "secret"],
} as const

type UserRow = SourceTableRow<(typeof userShape.columns)[number]>
type IdentityRow = SourceTableRow<(typeof identityShape.columns)[number]>
type FactorRow = SourceTableRow<(typeof factorShape.columns)[number]>

interface Tables {
  readonly user: SourceTable<(typeof userShape.columns)[number]>
  readonly identity: SourceTable<(typeof identityShape.columns)[number]>
  readonly factor: SourceTable<(typeof factorShape.columns)[number]> | null
}

/** The schema `auth` of a Supabase project: its database, or a dump of it. */
export const openSupabase: OpenSource = async (context) => {
  const { options } = context
  const dump = isDatabase(context) ? null : await loadDump(context)
  const database = dump?.database ?? (await openSourceDatabase(context, "Supabase"))
  const tables: Tables = {
    user: database.table(userShape, toFieldColumns(options)),
    identity: database.table(identityShape),
    factor: database.findTable(factorShape),
  }
  return {
    name: "Supabase",
    providerNames: {
      ...{ azure: "microsoft-entra-id", linkedin_oidc: "linkedin", slack_oidc: "slack", x: "twitter" },
    },
    fingerprint: database.fingerprint,
    survey: () => survey(tables),
    async *read(after) {
      if (after === undefined) yield* dump?.refused ?? []
      yield* read(tables, options, after)
    },
    close: () => database.close(),
  }
}

function read(tables: Tables, options: ImportOptions, after: string | undefined): AsyncGenerator<SourceRow> {
  return readByPage(tables.user, after, async (ids, rows) => {
    const identities = await tables.identity.rowsBy("user_id", ids)
    const factors = await tables.factor?.rowsBy("user_id", ids)
    const shared = rows.filter(isOfSso).flatMap(({ email }) => toFilledText(email) ?? [])
    const holders = await tables.user.rowsBy("email", shared)
    return (row, id) => {
      const isHeld = isOfSso(row) && holders.get(String(row.email))?.some((holder) => !isOfSso(holder))
      if (isHeld) return "Another user has the address, and this one has it by single sign-on"
      const owned = { identities: identities.get(id), factors: factors?.get(id) }
      return findRefusal(row, owned.identities) ?? toUser(row, owned, options)
    }
  })
}

function isDatabase({ argument }: SourceContext): boolean {
  return argument === undefined || /^(?:[a-z]{3,}:\/\/|sqlite:|file:|pglite:)/.test(argument)
}

async function survey({ user, identity, factor }: Tables): Promise<SourceSurvey> {
  const providers = await identity.tally("provider")
  const factors = await factor?.tally("factor_type")
  return {
    users: await user.count(),
    providers: new Map([...providers].filter(([provider]) => isProvider(provider))),
    passwords: await user.countFilled("encrypted_password"),
    totp: factors?.get("totp") ?? 0,
    recoveryCodes: 0,
    passkeys: 0,
    remarks: [
      "Anonymous, banned and deleted users, and those who sign in by telephone alone, are refused.",
      ...(factors?.has("phone") || factors?.has("webauthn")
        ? [
            "Second factors by telephone and security keys stay behind: these users sign in with the first factor alone.",
          ]
        : []),
    ],
  }
}

function isProvider(provider: string): boolean {
  return provider !== "email" && provider !== "phone" && !isSso(provider)
}

/** An identity of a SAML server, which has no provider here. */
function isSso(provider: string): boolean {
  return provider.startsWith("sso:")
}

/** The server of a customer says what their address is, and Supabase lets them have that of another user. */
function isOfSso({ is_sso_user }: UserRow): boolean {
  return isTrue(is_sso_user)
}

/** Refuses users whom Supabase would not sign in either. */
function findRefusal(row: UserRow, identities: readonly IdentityRow[] = []): string | null {
  if (isTrue(row.is_anonymous)) return "The user is anonymous"
  if (isFilled(row.deleted_at)) return "The user is deleted"
  const end = toDate(row.banned_until)
  if (isFilled(row.banned_until) && (end === null || end.getTime() > Date.now())) return "The user is banned"
  const isKnown = toFilledText(row.email) !== null || identities.some(({ provider }) => isProvider(String(provider)))
  return isKnown ? null : "The user signs in by telephone alone"
}

interface Owned {
  readonly identities?: readonly IdentityRow[] | undefined
  readonly factors?: readonly FactorRow[] | undefined
}

function toUser(row: UserRow, { identities = [], factors = [] }: Owned, options: ImportOptions): SourceUser {
  const left: string[] = []
  const profile = toObject(row.raw_user_meta_data)
  const password = toFilledText(row.encrypted_password)
  const isSealed = password?.startsWith("{") === true
  if (isSealed) left.push("The password, which the server encrypted")
  if (identities.some(({ provider }) => isSso(String(provider)))) left.push("The account of single sign-on (SAML)")
  if (toFilledText(row.phone) !== null) left.push("The phone number: nobody signs in by telephone here")
  return {
    id: String(row.id),
    name: toFilledText(getOwn(profile, "full_name")) ?? toFilledText(getOwn(profile, "name")),
    email: toFilledText(row.email),
    emailVerified: isOfSso(row) ? null : toDate(row.email_confirmed_at),
    image: toFilledText(getOwn(profile, "avatar_url")) ?? toFilledText(getOwn(profile, "picture")),
    fields: readFields(row, options),
    accounts: identities
      .filter(({ provider }) => isProvider(String(provider)))
      .map(({ provider, provider_id, id }) => ({
        provider: String(provider),
        providerAccountId: toFilledText(provider_id) ?? String(id),
      })),
    password: isSealed ? null : password,
    totp: toTotp(factors, left),
    left,
  }
}

/** Supabase has no recovery codes of its own that could be read. */
function toTotp(factors: readonly FactorRow[], left: string[]): NonNullable<SourceUser["totp"]> {
  const verified = factors.filter(({ status }) => status === "verified")
  const found = verified.flatMap(({ factor_type, secret, friendly_name, created_at }) => {
    const text = toFilledText(secret)
    if (factor_type !== "totp" || text === null || text.startsWith("{")) return []
    return [{ secret: text, label: toFilledText(friendly_name), createdAt: toDate(created_at) }]
  })
  if (found.length < verified.length)
    left.push("A second factor: only authenticator apps come along, and none that is sealed")
  return found
}
