import type { DatabaseSync } from "node:sqlite"

export interface StoredPassword {
  readonly userId: string
  readonly hash: string
}

/** Which user a user name means, and the hash of that user's password. */
export interface PasswordStore {
  find(username: string): StoredPassword | null
  /** The user name with which this user may sign in by password, or null. */
  findUsername(userId: string): string | null
  /** False when the user name is taken; nothing is written then. */
  create(username: string, password: StoredPassword): boolean
}

/**
 * Passwords in a table of the demo's own. The sign-in service never sees it: what a password is worth is the host's
 * matter.
 * @param database may hold other tables; whoever opened it closes it
 */
export function passwordStore(database: DatabaseSync): PasswordStore {
  database.exec(
    "create table if not exists demo_password (username text primary key, user_id text not null, hash text not null) strict",
  )
  const byName = database.prepare("select user_id, hash from demo_password where username = ?")
  const byUser = database.prepare("select username from demo_password where user_id = ?")
  const insert = database.prepare("insert or ignore into demo_password (username, user_id, hash) values (?, ?, ?)")
  return {
    find: (username) => {
      const row = byName.get(username)
      return row ? { userId: String(row["user_id"]), hash: String(row["hash"]) } : null
    },
    findUsername: (userId) => {
      const row = byUser.get(userId)
      return row ? String(row["username"]) : null
    },
    create: (username, { userId, hash }) => insert.run(username, userId, hash).changes === 1,
  }
}
