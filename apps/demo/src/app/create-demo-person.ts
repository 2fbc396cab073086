import type { Adapter } from "@latchkey/core/adapters"
import type { PasswordCheck } from "../passwords/password-check.js"
import type { PasswordStore } from "../passwords/password-store.js"
import { demoPerson } from "./demo-person.js"

/** Makes the user whom the printed name and password belong to. Later starts find it and change nothing. */
export async function createDemoPerson(
  adapter: Pick<Required<Adapter>, "getUserByEmail" | "createUser">,
  store: PasswordStore,
  passwords: PasswordCheck,
): Promise<void> {
  const { username, password, name, email } = demoPerson
  if (store.find(username)) return
  const person = { id: crypto.randomUUID(), name, email, emailVerified: null }
  const user = (await adapter.getUserByEmail(email)) ?? (await adapter.createUser(person))
  store.create(username, { userId: user.id, hash: await passwords.hash(password) })
}
