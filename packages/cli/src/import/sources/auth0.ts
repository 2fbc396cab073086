import { openSourceFile, readJsonRecords } from "../file-records.js"
import { indexRecords, type RecordIndex, surveyRows, toRows, toUnreadRemarks } from "../record-users.js"
import type { ImportOptions, MadeUser, OpenSource, SourceAccount, SourceTotp } from "../records.js"
import { readFields } from "../source-tables.js"
import {
  getOwn,
  isMicrosoftSubject,
  isTrue,
  toDate,
  toFilledText,
  toLeftAccount,
  toList,
  toObject,
  toObjects,
} from "../values.js"

const hint = "Name the file of JSON lines that Auth0's user export wrote."
const hashHint = "import.passwords names the file of password hashes that Auth0's support gave you."

type Fields = Readonly<Record<string, unknown>>

/** An export has only the fields that were asked for, and `blocked` only of users who were ever blocked. */
const decisive = [
  { name: "blocked", result: "users who were blocked get in" },
  { name: "email_verified", result: "addresses count as not verified" },
] as const

function toUntold({ name, result }: (typeof decisive)[number]): string {
  return `No user of the file has the field ${name}: unless the export asked for it, ${result}.`
}

/** The user export of Auth0, with the file of password hashes beside it (`import.passwords`). */
export const openAuth0: OpenSource = async ({ argument, folder, options, skipped }) => {
  const { path, fingerprint } = await openSourceFile(argument, folder, hint)
  const hashes =
    options.passwords === undefined || skipped?.has("passwords") ? null : await indexHashes(options.passwords, folder)
  const asked = new Set<string>()
  const read = (after: string | undefined) =>
    toRows(
      readJsonRecords(path, after),
      (record) => toFilledText(getOwn(record, "user_id")) ?? toFilledText(getOwn(record, "Id")),
      (record, id) => {
        for (const { name } of decisive) if (Object.hasOwn(record, name)) asked.add(name)
        return toUser(record, id, { hashes, options })
      },
    )
  return {
    name: "Auth0",
    providerNames: { "google-oauth2": "google", windowslive: "microsoft-entra-id", waad: "microsoft-entra-id" },
    fingerprint,
    async survey() {
      const counts = await surveyRows(read(undefined))
      const isWithout = hashes === null && !skipped?.has("passwords")
      return {
        ...counts,
        remarks: [
          ...toUnreadRemarks(hashes),
          ...decisive.filter(({ name }) => !asked.has(name)).map(toUntold),
          ...(isWithout
            ? ["Passwords stay behind: Auth0's support exports them. Name their file as import.passwords."]
            : []),
          "Second factors are not in the file: these users sign in with the first factor alone.",
        ],
      }
    },
    read,
    close: async () => hashes?.close(),
  }
}

/** Lines such as `{"_id":{"$oid":"5dea…"},"passwordHash":"$2b$10$…"}`. `alt_id` is the ID that the app chose. */
async function indexHashes(file: string, folder: string): Promise<RecordIndex> {
  const { path } = await openSourceFile(file, folder, hashHint)
  return indexRecords(readJsonRecords(path), (record) => {
    const id = toFilledText(getOwn(record, "alt_id")) ?? toFilledText(getOwn(toObject(getOwn(record, "_id")), "$oid"))
    const hash = toFilledText(getOwn(record, "passwordHash"))
    return id === null || hash === null ? null : { id, texts: { hash } }
  })
}

interface Reading {
  readonly hashes: RecordIndex | null
  readonly options: ImportOptions
}

function toUser(user: Fields, id: string, { hashes, options }: Reading): MadeUser {
  const text = (name: string) => toFilledText(getOwn(user, name))
  if (isTrue(getOwn(user, "blocked"))) return "The user is blocked"
  const left: string[] = []
  const listed = toObjects(getOwn(user, "identities"))
  const identities = listed.length > 0 ? listed : [splitId(id)]
  const accounts = identities.flatMap((identity) => toAccount(identity, left) ?? [])
  const email = text("email")
  if (email === null && accounts.length + left.length === 0)
    return "The user signs in by telephone or a user name alone"
  const factors = toList(getOwn(user, "mfa_factors"))
  const totp = toTotp(factors)
  if (totp.length === 0 && factors.length + toList(getOwn(user, "multifactor")).length > 0)
    left.push("Second factors that the file does not have")
  const own = identities.find((identity) => getOwn(identity, "provider") === "auth0")
  const ownId = own && toFilledText(getOwn(own, "user_id"))
  return {
    id,
    name: text("name") ?? text("nickname"),
    email,
    emailVerified: isTrue(getOwn(user, "email_verified")) ? (toDate(getOwn(user, "created_at")) ?? new Date()) : null,
    image: text("picture"),
    fields: readFields(user, options),
    // For sign-ins at Auth0, whose subject is the whole ID, and for sessions that are taken over.
    accounts: [{ provider: "auth0", providerAccountId: id, type: "oidc" }, ...accounts],
    password: ownId ? (hashes?.get(ownId)?.["hash"] ?? text("passwordHash")) : null,
    totp,
    left,
  }
}

/** `google-oauth2|108…`, for files without identities. */
function splitId(id: string): Fields {
  const at = id.indexOf("|")
  return { provider: id.slice(0, at), user_id: id.slice(at + 1) }
}

/** Strategies with many connections: accounts are of the connection. */
const generic: ReadonlySet<string> = new Set([
  "oauth2",
  "oidc",
  "samlp",
  "adfs",
  "okta",
  "pingfederate",
  "ad",
  "custom",
])
const withoutAccount: ReadonlySet<string> = new Set(["auth0", "email", "sms", ""])

function toAccount(identity: Fields, left: string[]): SourceAccount | null {
  const strategy = toFilledText(getOwn(identity, "provider")) ?? ""
  const providerAccountId = toFilledText(getOwn(identity, "user_id"))
  if (withoutAccount.has(strategy) || providerAccountId === null) return null
  if (strategy === "windowslive" || strategy === "waad") {
    if (isMicrosoftSubject(providerAccountId)) return { provider: strategy, providerAccountId }
    left.push(toLeftAccount("Microsoft"))
    return null
  }
  const connection = toFilledText(getOwn(identity, "connection"))
  if (!generic.has(strategy) || connection === null) return { provider: strategy, providerAccountId }
  // The ID begins with the connection where several have one strategy.
  const prefix = `${connection}|`
  const own = providerAccountId.startsWith(prefix) ? providerAccountId.slice(prefix.length) : providerAccountId
  return { provider: connection, providerAccountId: own }
}

/** In the format of bulk imports. */
function toTotp(factors: readonly unknown[]): readonly SourceTotp[] {
  return factors.flatMap((factor) => {
    const secret = toFilledText(getOwn(toObject(getOwn(toObject(factor), "totp")), "secret"))
    return secret === null ? [] : [{ secret }]
  })
}
