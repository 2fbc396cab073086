import type { Events } from "../host/events.js"
import type { Store } from "../host/store.js"
import type { Adapter, AdapterUser } from "../types/adapter.js"

/** The methods that store a new user and their way to sign in. */
export type NewUserStore = Pick<Required<Adapter>, "createUser" | "linkAccount" | "createAuthenticator" | "setPassword">

/** The first way of a new user to sign in: an account, a passkey or a password. */
export interface WayIn {
  /** Stores it. In a transaction, it may run again. */
  add(user: AdapterUser, store: NewUserStore): Promise<unknown>
  /** Whether it is stored, although the store failed: a connection can be lost before the answer. */
  isAdded(user: AdapterUser): Promise<boolean>
  /**
   * Removes it and throws. Called if the owner of the mailbox finished the user before the way in was stored. Leave it out if
   * it belongs to the owner of the mailbox itself.
   */
  takeBack?(user: AdapterUser): Promise<never>
}

interface NewUserDeps {
  readonly store: Store
  readonly events: Events
}

/**
 * Stores a new user with their way to sign in, and sends `createUser`: both or neither if the store has transactions. In
 * any other store, a user whose way in cannot be stored is removed again. If even that fails, `isUnfinished` recognizes them.
 */
export async function storeNewUser(fields: AdapterUser, wayIn: WayIn, deps: NewUserDeps): Promise<AdapterUser> {
  const { store, events } = deps
  if (!store.has("transaction")) return storeInSteps(fields, wayIn, deps)
  const user = await storeAtOnce(fields, wayIn, store)
  await events.send("createUser", { user })
  return user
}

async function storeAtOnce(fields: AdapterUser, wayIn: WayIn, store: Store): Promise<AdapterUser> {
  const stored: { user?: AdapterUser } = {}
  const write = async (adapter: Adapter): Promise<AdapterUser> => {
    const within = adapter as NewUserStore // as: it has the methods of the adapter that it belongs to
    const user = await within.createUser(fields)
    stored.user = user
    await wayIn.add(user, within)
    return user
  }
  try {
    return await store.transaction(write)
  } catch (error) {
    // The commit may have succeeded.
    if (stored.user && (await wayIn.isAdded(stored.user))) return stored.user
    throw error
  }
}

async function storeInSteps(fields: AdapterUser, wayIn: WayIn, { store, events }: NewUserDeps): Promise<AdapterUser> {
  const user = await store.createUser(fields)
  await events.send("createUser", { user })
  try {
    await wayIn.add(user, store)
  } catch (error) {
    // By now, parallel requests may have signed in as this user.
    if (!(await wayIn.isAdded(user))) {
      // A user without a way in would keep the owner of the address from signing up.
      if (store.has("deleteUser") && !(await isFinished(user, store))) await store.deleteUser(user.id)
      throw error
    }
  }
  // Where the store can prove that a user is unfinished, someone may have finished this one in between.
  if (wayIn.takeBack && store.has("listAccountsByUserId") && (await isFinished(user, store))) {
    await wayIn.takeBack(user)
  }
  return user
}

/** Whether the owner of the mailbox has verified the address of a user who was just stored without. */
async function isFinished({ id, emailVerified }: AdapterUser, store: Store): Promise<boolean> {
  if (emailVerified || !store.has("getUser")) return false
  return Boolean((await store.getUser(id))?.emailVerified)
}
