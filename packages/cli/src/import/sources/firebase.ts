import { openSourceFile, readJsonRecords } from "../file-records.js"
import { surveyRows, toRows } from "../record-users.js"
import type { ImportOptions, MadeUser, OpenSource, SourceAccount } from "../records.js"
import { readFields } from "../source-tables.js"
import {
  getOwn,
  isMicrosoftSubject,
  isTrue,
  toDate,
  toFilledText,
  toLeftAccount,
  toList,
  toObjects,
} from "../values.js"

const hint = "Name the file that firebase auth:export users.json --format=json wrote."

type User = Readonly<Record<string, unknown>>

/** The file of `firebase auth:export`. */
export const openFirebase: OpenSource = async ({ argument, folder, options }) => {
  const { path, fingerprint } = await openSourceFile(argument, folder, hint)
  const read = (after: string | undefined) =>
    toRows(
      readJsonRecords(path, after),
      (record) => toFilledText(getOwn(record, "localId")),
      (record, id) => toUser(record, id, options),
    )
  return {
    name: "Firebase",
    providerNames: {
      ...{ "google.com": "google", "facebook.com": "facebook", "github.com": "github", "twitter.com": "twitter" },
      ...{
        "apple.com": "apple",
        "microsoft.com": "microsoft-entra-id",
        "yahoo.com": "yahoo",
        "linkedin.com": "linkedin",
      },
    },
    fingerprint,
    async survey() {
      return {
        ...(await surveyRows(read(undefined))),
        remarks: [
          "Passwords need firebaseScrypt() with the project's hash parameters in the option accept of Passwords.",
          "Second factors are not in the file: these users sign in with the first factor alone.",
        ],
      }
    },
    read,
    close: async () => undefined,
  }
}

function toUser(user: User, id: string, options: ImportOptions): MadeUser {
  const text = (name: string) => toFilledText(getOwn(user, name))
  if (isTrue(getOwn(user, "disabled"))) return "The user is disabled"
  const left: string[] = []
  const infos = toObjects(getOwn(user, "providerUserInfo"))
  const accounts = infos.flatMap((info) => toAccount(info, left) ?? [])
  const email = text("email")
  const [phone, hash, salt] = [text("phoneNumber"), text("passwordHash"), text("salt")]
  if (email === null && accounts.length + left.length === 0)
    return phone === null ? "The user is anonymous" : "The user signs in by telephone alone"
  if (phone !== null) left.push("The phone number: nobody signs in by telephone here")
  if (toList(getOwn(user, "mfaInfo")).length > 0) left.push("The second factors, which Firebase does not export")
  if (hash !== null && salt === null) left.push("The password, whose salt is missing")
  return {
    id,
    name: text("displayName"),
    email,
    emailVerified: isTrue(getOwn(user, "emailVerified")) ? (toDate(getOwn(user, "createdAt")) ?? new Date()) : null,
    image: text("photoUrl"),
    fields: readFields(user, options),
    accounts,
    password: hash === null || salt === null ? null : `$fbscrypt$${salt}$${hash}`,
    left,
  }
}

function toAccount(info: User, left: string[]): SourceAccount | null {
  const provider = toFilledText(getOwn(info, "providerId"))
  const providerAccountId = toFilledText(getOwn(info, "rawId"))
  if (provider === null || providerAccountId === null || ["password", "phone"].includes(provider)) return null
  if (provider !== "microsoft.com" || isMicrosoftSubject(providerAccountId)) return { provider, providerAccountId }
  left.push(toLeftAccount("Microsoft"))
  return null
}
