import { readCsvRecords } from "../csv-records.js"
import { openSourceFile, readJsonRecords } from "../file-records.js"
import { indexRecords, type RecordIndex, surveyRows, toRows, toUnreadRemarks } from "../record-users.js"
import type { ImportOptions, MadeUser, OpenSource, SourceAccount, SourceContext, SourceUser } from "../records.js"
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

const hint = "Name the CSV file of Clerk's dashboard, or the JSON of its API or of clerk migrate export."
const csvHint = "import.passwords names the CSV file of Clerk's dashboard."

type Fields = Readonly<Record<string, unknown>>

const renamed = { microsoft: "microsoft-entra-id", x: "twitter", linkedin_oidc: "linkedin" } as const
const same = [
  ...[
    "apple",
    "atlassian",
    "bitbucket",
    "box",
    "coinbase",
    "discord",
    "dropbox",
    "facebook",
    "github",
    "gitlab",
    "google",
  ],
  ...[
    "hubspot",
    "huggingface",
    "line",
    "linear",
    "linkedin",
    "notion",
    "slack",
    "spotify",
    "tiktok",
    "twitch",
    "twitter",
  ],
  ...["vercel", "xero"],
]
const providerNames = Object.fromEntries([
  ...same.map((provider) => [`oauth_${provider}`, provider]),
  ...Object.entries(renamed).map(([theirs, ours]) => [`oauth_${theirs}`, ours]),
])

/**
 * The users of Clerk: the CSV file of the dashboard, which has hashes and no accounts, or the JSON of the API, which has accounts
 * and no hashes. With the CSV file as `import.passwords` beside the JSON, both.
 */
export const openClerk: OpenSource = async (context) => {
  const { argument, folder, options } = context
  const { path, fingerprint, beginning } = await openSourceFile(argument, folder, hint)
  const isJson = /^\s*[[{]/.test(beginning)
  const secrets = isJson ? await indexSecrets(context) : null
  const read = (after: string | undefined) =>
    toRows(
      isJson ? readJsonRecords(path, after) : readCsvRecords(path, after),
      (record) => toFilledText(getOwn(record, "id")),
      (record, id) => (isJson ? toUser(record, id, { secrets, options }) : toCsvUser(record, id, options)),
    )
  const missing = isJson
    ? "Passwords and authenticator apps are in the CSV file of the dashboard: name it as import.passwords."
    : "The CSV file has no accounts at providers, and does not tell who is banned: import the JSON of the API, with this file as import.passwords."
  return {
    name: "Clerk",
    providerNames,
    fingerprint,
    async survey() {
      const counts = await surveyRows(read(undefined))
      return {
        ...counts,
        remarks: [
          ...toUnreadRemarks(secrets),
          ...(secrets ? [] : [missing]),
          "Recovery codes and passkeys are in no export.",
        ],
      }
    },
    read,
    close: async () => secrets?.close(),
  }
}

async function indexSecrets({ options, folder }: SourceContext): Promise<RecordIndex | null> {
  if (options.passwords === undefined) return null
  const { path } = await openSourceFile(options.passwords, folder, csvHint)
  return indexRecords(readCsvRecords(path), (record) => {
    const id = toFilledText(getOwn(record, "id"))
    const { password = null, totp = [] } = readSecrets(record)
    return id === null ? null : { id, texts: { password, totp: totp[0]?.secret ?? null } }
  })
}

function toCsvUser(record: Fields, id: string, options: ImportOptions): MadeUser {
  const text = (name: string) => toFilledText(getOwn(record, name))
  const list = text("verified_email_addresses") ?? ""
  // An address with quotes can have the address of another person in it, between separators.
  const verified = list.includes('"') ? [] : list.split(/[|,;\s]+/).filter(Boolean)
  const email = text("primary_email_address") ?? verified[0] ?? null
  return {
    id,
    name: toName(text("first_name"), text("last_name"), text("username")),
    email,
    emailVerified: email !== null && verified.includes(email) ? (toDate(text("created_at")) ?? new Date()) : null,
    fields: readFields(record, options),
    ...readSecrets(record),
    left: text("primary_phone_number") === null ? [] : [leftPhone],
  }
}

const leftPhone = "The phone number: nobody signs in by telephone here"

function toName(first: string | null, last: string | null, username: string | null): string | null {
  return [first, last].filter(Boolean).join(" ") || username
}

function readSecrets(record: Fields): Pick<SourceUser, "password" | "totp"> {
  const digest = toFilledText(getOwn(record, "password_digest"))
  const secret = toFilledText(getOwn(record, "totp_secret"))
  const isFirebase = getOwn(record, "password_hasher") === "scrypt_firebase"
  return {
    password: digest !== null && isFirebase ? toFirebaseHash(digest) : digest,
    totp: secret === null ? [] : [{ secret }],
  }
}

/** Hash, salt, signer key, salt separator, rounds and memory cost become the form that says what each of them is. */
function toFirebaseHash(digest: string): string {
  const [hash, salt, key, separator, rounds, memory, ...more] = digest.split("$")
  if (memory === undefined || more.length > 0) return digest
  return `$fbscrypt$v=1,n=${memory},r=${rounds},p=1,ss=${separator},sk=${key}$${salt}$${hash}`
}

interface Reading {
  readonly secrets: RecordIndex | null
  readonly options: ImportOptions
}

function toUser(user: Fields, id: string, { secrets, options }: Reading): MadeUser {
  const get = (name: string) => getEither(user, name)
  if (isTrue(get("banned")) || isTrue(get("deprovisioned"))) return "The user is banned"
  const left = findLeft(user)
  const addresses = toObjects(get("email_addresses"))
  const primary =
    addresses.find((address) => getOwn(address, "id") === get("primary_email_address_id")) ?? addresses[0] ?? null
  const isVerified = getOwn(toObject(getOwn(primary, "verification")), "status") === "verified"
  const accounts = toObjects(get("external_accounts")).flatMap((account) => toAccount(account, left) ?? [])
  const known = secrets?.get(id) ?? null
  const [password, totp] = [known?.["password"] ?? null, known?.["totp"] ?? null]
  if (isTrue(get("password_enabled")) && password === null) left.push("The password, which is in the CSV file alone")
  if (isTrue(get("totp_enabled")) && totp === null)
    left.push("The authenticator app, whose secret is in the CSV file alone")
  return {
    id,
    name: toName(toFilledText(get("first_name")), toFilledText(get("last_name")), toFilledText(get("username"))),
    email: toFilledText(primary && getEither(primary, "email_address")),
    emailVerified: isVerified ? (toDate(get("created_at")) ?? new Date()) : null,
    image: get("has_image") === false ? null : toFilledText(get("image_url")),
    fields: readFields(user, options),
    accounts,
    password,
    totp: totp === null ? [] : [{ secret: totp }],
    left,
  }
}

/** The API writes snake case, and Clerk's own client camel case. */
function getEither(object: Fields, name: string): unknown {
  return (
    getOwn(object, name) ??
    getOwn(
      object,
      name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
    )
  )
}

const others = [
  ["phone_numbers", leftPhone],
  ["passkeys", "Passkeys, which Clerk does not export"],
  ["web3_wallets", "Accounts of wallets"],
  ["enterprise_accounts", "Accounts of an enterprise connection"],
  ["saml_accounts", "Accounts of an enterprise connection"],
] as const

function findLeft(user: Fields): string[] {
  const found = others.filter(([name]) => toList(getEither(user, name)).length > 0).map(([, sentence]) => sentence)
  const codes = isTrue(getEither(user, "backup_code_enabled"))
    ? ["The recovery codes, which Clerk does not export"]
    : []
  return [...new Set([...found, ...codes])]
}

function toAccount(account: Fields, left: string[]): SourceAccount | null {
  const provider = toFilledText(getOwn(account, "provider"))
  const providerAccountId =
    toFilledText(getEither(account, "provider_user_id")) ?? toFilledText(getEither(account, "external_id"))
  const status = getOwn(toObject(getOwn(account, "verification")), "status")
  if (provider === null || providerAccountId === null || (status !== undefined && status !== "verified")) return null
  if (provider !== "oauth_microsoft" || isMicrosoftSubject(providerAccountId)) return { provider, providerAccountId }
  left.push(toLeftAccount("Microsoft"))
  return null
}
