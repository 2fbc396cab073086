import { Pool } from "pg"

/** A pool with an error listener, as `pg` documents: without one, a connection closed by the server crashes the process. */
export function openPool(url: string, schema = "public"): Pool {
  const pool = new Pool({ connectionString: url, options: `-c search_path=${schema}` })
  pool.on("connect", (client) => client.on("error", () => undefined))
  pool.on("error", () => undefined)
  return pool
}
