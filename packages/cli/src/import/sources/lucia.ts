import type { ImportOptions, OpenSource, SourceAccount, SourceUser } from "../records.js"
import {
  openSourceDatabase,
  readByPage,
  readFields,
  type SourceTable,
  type SourceTableRow,
  toFieldColumns,
} from "../source-tables.js"
import { toFilledText, toVerified } from "../values.js"

const userShape = {
  record: "user",
  names: ["user", "auth_user"],
  columns: ["id", "name", "email", "emailVerified", "image", "password", "createdAt"],
  required: ["id"],
  others: {
    name: ["username"],
    emailVerified: ["is_email_verified"],
    image: ["avatar_url", "avatar", "picture"],
    password: ["password_hash", "hashed_password"],
  },
} as const
/** Of the guide to several providers. */
const accountShape = {
  record: "account",
  names: ["oauth_account"],
  columns: ["userId", "providerId", "providerUserId"],
  required: ["userId", "providerId", "providerUserId"],
} as const
/** Of Lucia 1 and 2: `email:ada@example.com` with a hash, or `github:4242`. */
const keyShape = {
  record: "key",
  names: ["user_key", "auth_key"],
  columns: ["id", "userId", "password"],
  required: ["id", "userId"],
  others: { password: ["hashed_password"] },
} as const

type UserColumn = (typeof userShape.columns)[number]
type UserRow = SourceTableRow<UserColumn>
type AccountRow = SourceTableRow<(typeof accountShape.columns)[number]>
type KeyRow = SourceTableRow<(typeof keyShape.columns)[number]>

interface Tables {
  readonly user: SourceTable<UserColumn>
  readonly account: SourceTable<(typeof accountShape.columns)[number]> | null
  readonly key: SourceTable<(typeof keyShape.columns)[number]> | null
  /** Columns of the user by the provider whose IDs they have. */
  readonly providers: ReadonlyMap<string, string>
}

/** Providers whose IDs Lucia's tutorials and their readers keep in a column of the user, such as `github_id`. */
const usualProviders = [
  ...["apple", "atlassian", "bitbucket", "discord", "dropbox", "facebook", "figma", "github", "gitlab", "google"],
  ...["kakao", "line", "linear", "linkedin", "naver", "notion", "reddit", "slack", "spotify", "strava", "tiktok"],
  ...["twitch", "twitter", "vk", "yahoo", "yandex", "zoom"],
]

/** The tables of an app with Lucia, which the app itself designed. */
export const openLucia: OpenSource = async (context) => {
  const { options } = context
  const database = await openSourceDatabase(context, "Lucia")
  const { columnNames } = database.table(userShape)
  const providers = findProviderColumns(columnNames, options)
  const tables: Tables = {
    user: database.table(userShape, [...toFieldColumns(options), ...providers.values()]),
    account: database.findTable(accountShape),
    key: database.findTable(keyShape),
    providers,
  }
  return {
    name: "Lucia",
    providerNames: {},
    fingerprint: database.fingerprint,
    async survey() {
      const passwords = (await tables.user.countFilled("password")) + ((await tables.key?.countFilled("password")) ?? 0)
      const hasNamesAlone = passwords > 0 && !tables.user.has("email") && !tables.key
      return {
        users: await tables.user.count(),
        providers: await countProviders(tables),
        passwords,
        totp: 0,
        recoveryCodes: 0,
        passkeys: 0,
        remarks: [
          "Lucia has no second factors of its own. Those that the app made stay behind.",
          ...(hasNamesAlone
            ? [
                `The table "${tables.user.name}" has no addresses: its users sign in by name, for which Passwords needs the option find, and cannot reset a password.`,
              ]
            : []),
        ],
      }
    },
    read: (after) =>
      readByPage(tables.user, after, async (ids) => {
        const accounts = await tables.account?.rowsBy("userId", ids)
        const keys = await tables.key?.rowsBy("userId", ids)
        return (row, id) => toUser(row, { accounts: accounts?.get(id), keys: keys?.get(id), providers, options })
      }),
    close: () => database.close(),
  }
}

/** `github_id` and `githubId`; columns of other names are named in the configuration, by the provider. */
function findProviderColumns(names: readonly string[], { columns = {} }: ImportOptions): ReadonlyMap<string, string> {
  const own: readonly string[] = userShape.columns
  const configured = Object.entries(columns["user"] ?? {}).filter(([provider]) => !own.includes(provider))
  const found = names.flatMap((name): [string, string][] => {
    const provider = /^(.+?)_?id$/i.exec(name)?.[1]?.toLowerCase() ?? ""
    return usualProviders.includes(provider) ? [[provider, name]] : []
  })
  return new Map([...found, ...configured])
}

async function countProviders({ user, account, key, providers }: Tables): Promise<ReadonlyMap<string, number>> {
  const counts = new Map(await account?.tally("providerId"))
  const add = (provider: string, count: number) => {
    if (count > 0) counts.set(provider, (counts.get(provider) ?? 0) + count)
  }
  for (const [provider, column] of providers) add(provider, await user.countFilled(column))
  if (key)
    for (const [provider, count] of await key.tallyPrefix("id", ":")) if (!isPassword(provider)) add(provider, count)
  return counts
}

interface Owned {
  readonly accounts?: readonly AccountRow[] | undefined
  readonly keys?: readonly KeyRow[] | undefined
  readonly providers: ReadonlyMap<string, string>
  readonly options: ImportOptions
}

function toUser(row: UserRow, { accounts = [], keys = [], providers, options }: Owned): SourceUser {
  const parts = keys.map((key) => ({ ...splitKey(String(key.id)), hash: toFilledText(key.password) }))
  const address = parts.find(({ provider }) => provider === "email")?.id ?? null
  const linked: SourceAccount[] = [
    ...accounts.map((account) => ({
      provider: String(account.providerId),
      providerAccountId: String(account.providerUserId),
    })),
    ...parts.flatMap(({ provider, id, hash }) =>
      hash === null && !isPassword(provider) ? [{ provider, providerAccountId: id }] : [],
    ),
    ...[...providers].flatMap(([provider, column]) => {
      const providerAccountId = toFilledText(Reflect.get(row, column))
      return providerAccountId === null ? [] : [{ provider, providerAccountId }]
    }),
  ]
  return {
    id: String(row.id),
    name: toFilledText(row.name),
    email: toFilledText(row.email) ?? address,
    emailVerified: toVerified(row.emailVerified, row.createdAt),
    image: toFilledText(row.image),
    fields: readFields(row, options),
    accounts: linked,
    password: toFilledText(row.password) ?? parts.find(({ hash }) => hash !== null)?.hash ?? null,
  }
}

function splitKey(key: string): { readonly provider: string; readonly id: string } {
  const at = key.indexOf(":")
  return { provider: key.slice(0, at), id: key.slice(at + 1) }
}

function isPassword(provider: string): boolean {
  return ["email", "username", "phone"].includes(provider)
}
