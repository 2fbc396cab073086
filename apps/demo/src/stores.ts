import { type SqliteAdapter, sqlite } from "@latchkey/kysely-adapter/sqlite"
import { type AccountRecords, accountRecords } from "./app/account-records.js"
import { type PasskeyRecords, passkeyRecords } from "./app/passkey-records.js"
import type { Cleanup } from "./cleanup.js"
import { openPeople, type People } from "./identity-provider/people.js"
import { openRecordStore, type RecordStore } from "./identity-provider/record-store.js"
import { type MailStore, openMailStore } from "./inbox/mail-store.js"
import { type PasswordStore, passwordStore } from "./passwords/password-store.js"
import type { DataFolder } from "./settings/data-folder.js"

/** Everything that the demo keeps on disk: one file for the app, one for the identity provider, one for the inbox. */
export interface Stores {
  readonly adapter: SqliteAdapter
  readonly passwords: PasswordStore
  readonly accounts: AccountRecords
  readonly passkeys: PasskeyRecords
  readonly records: RecordStore
  readonly people: People
  readonly mails: MailStore
}

export function openStores(folder: DataFolder, cleanup: Cleanup): Stores {
  const adapter = cleanup.add(sqlite(folder.file("app.sqlite")))
  const passwords = passwordStore(adapter.database)
  const accounts = accountRecords(adapter.database)
  const providerFile = folder.file("identity-provider.sqlite")
  return {
    adapter,
    passwords,
    accounts,
    passkeys: passkeyRecords(adapter, accounts),
    records: cleanup.add(openRecordStore(providerFile)),
    people: cleanup.add(openPeople(providerFile)),
    mails: cleanup.add(openMailStore(folder.file("inbox.sqlite"))),
  }
}
