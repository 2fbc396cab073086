import { Pool } from "pg"

/** A pool of a host that has read the documentation of `pg`: a connection that the server ends is no crash. */
export function openPool(url: string, schema = "public"): Pool {
  const pool = new Pool({ connectionString: url, options: `-c search_path=${schema}` })
  pool.on("connect", (client) => client.on("error", () => undefined))
  pool.on("error", () => undefined)
  return pool
}
