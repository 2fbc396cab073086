import { join } from "node:path"
import { type DatabaseServer, startDatabase } from "./database-server.js"
import { findServerUser } from "./server-user.js"

/** What a database that is thrown away need not do. */
const careless = { fsync: "off", synchronous_commit: "off", full_page_writes: "off" }

/**
 * Starts a PostgreSQL with an empty database, on a free port of 127.0.0.1.
 * @param settings Of the server, such as `{ timezone: "Asia/Kolkata" }`.
 * @throws Error when `postgres` and `initdb` are not installed or the server does not start
 */
export async function startPostgres(settings: Readonly<Record<string, string>> = {}): Promise<DatabaseServer> {
  return await startDatabase({
    name: "postgres",
    user: findServerUser(["postgres", "nobody"]),
    // Ends the sessions that are open, where SIGTERM would wait for them.
    endSignal: "SIGINT",
    readyText: "database system is ready to accept connections",
    create: (folder) => [
      "initdb",
      ["-D", join(folder, "data"), "-U", "app", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"],
    ],
    args: (folder, port) => {
      const all = { listen_addresses: "127.0.0.1", unix_socket_directories: "", ...careless, ...settings }
      const options = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`])
      return ["-D", join(folder, "data"), "-p", String(port), ...options]
    },
    url: (port) => `postgres://app@127.0.0.1:${port}/postgres`,
  })
}
