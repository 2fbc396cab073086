import type { LinkOptions, SchemaOptions, TableOptions } from "./schema-options.js"

type Keys<T> = Readonly<Record<keyof T, true>>

const tableKeys: Keys<TableOptions> = { name: true, columns: true, extra: true, rowId: true }
const linkKeys: Keys<LinkOptions> = { name: true, owned: true, owner: true }

/** What an option may say; null for what is no object. */
const optionKeys: Readonly<Record<string, object | null>> = {
  user: tableKeys,
  account: tableKeys,
  session: tableKeys,
  verificationToken: tableKeys,
  authenticator: tableKeys,
  spent: tableKeys,
  provenEmail: tableKeys,
  userAccount: linkKeys,
  userSession: linkKeys,
  layout: null,
  prefix: null,
  ids: null,
  database: null,
  to: null,
  timeoutMilliseconds: null,
  busyTimeoutMilliseconds: null,
} satisfies Record<keyof Required<SchemaOptions>, object | null> & Record<string, object | null>

/**
 * The types of the constructors let every option pass, since they remember those that the host gives; a name that was
 * mistyped is found here.
 * @throws TypeError that names the option which there is not
 */
export function assertKnownOptions(options: SchemaOptions): void {
  for (const [name, value] of Object.entries(options)) {
    const keys = optionKeys[name]
    if (keys === undefined) throw new TypeError(`${name}: there is no such option`)
    if (keys !== null && typeof value === "object") assertKnownKeys(name, value, keys)
  }
}

function assertKnownKeys(name: string, given: object, keys: object): void {
  const unknown = Object.keys(given).find((key) => !Object.hasOwn(keys, key))
  if (unknown !== undefined) throw new TypeError(`${name}.${unknown}: there is no such option`)
}
