import { join } from "node:path"
import { type DatabaseServer, startDatabase } from "./database-server.js"
import { findServerUser } from "./server-user.js"

/**
 * Starts a MariaDB with an empty database `app`, on a free port of 127.0.0.1.
 * @param settings Of the server, such as `{ "default-time-zone": "+05:30" }`.
 * @throws Error when `mariadbd` and `mariadb-install-db` are not installed or the server does not start
 */
export async function startMariadb(settings: Readonly<Record<string, string>> = {}): Promise<DatabaseServer> {
  const user = findServerUser(["mysql", "nobody"])
  return await startDatabase({
    name: "mariadbd",
    user,
    endSignal: "SIGTERM",
    readyText: "ready for connections",
    files: { "init.sql": "create database if not exists app;\n" },
    create: (folder) => [
      "mariadb-install-db",
      [
        "--no-defaults",
        `--datadir=${join(folder, "data")}`,
        "--auth-root-authentication-method=normal",
        "--skip-test-db",
        "--skip-name-resolve",
      ],
    ],
    args: (folder, port) => [
      "--no-defaults",
      `--datadir=${join(folder, "data")}`,
      "--bind-address=127.0.0.1",
      `--port=${port}`,
      `--socket=${join(folder, "socket")}`,
      `--pid-file=${join(folder, "pid")}`,
      "--skip-name-resolve",
      "--innodb-flush-log-at-trx-commit=0",
      `--init-file=${join(folder, "init.sql")}`,
      ...Object.entries(settings).map(([name, value]) => `--${name}=${value}`),
    ],
    url: (port) => `mysql://root@127.0.0.1:${port}/app`,
  })
}
