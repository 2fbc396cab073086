import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { parseWaitedUs } from "../rate/waited.ts"

export interface Start {
  /** Since the process was started, less what its main thread waited for a processor (Linux tells). */
  readonly milliseconds: number
  readonly residentBytes: number
}

const bench = join(import.meta.dirname, "..", "..")
const telling = `
  const milliseconds = performance.now()
  const residentBytes = process.memoryUsage.rss()
  const { existsSync, readFileSync } = process.getBuiltinModule("node:fs")
  const file = "/proc/self/schedstat"
  const schedstat = existsSync(file) ? readFileSync(file, "utf8") : ""
  console.log(JSON.stringify({ milliseconds, residentBytes, schedstat }))`

/** Runs statements in a new Node, and tells when they are done and what the process then occupies. */
export function measureStart(statements: string): Start {
  const args = ["--input-type=module", "--eval", `${statements}\n${telling}`]
  const env = { ...process.env, NODE_ENV: "production" }
  const output = execFileSync(process.execPath, args, { cwd: bench, env, encoding: "utf8" })
  // What the lines above print.
  const told = JSON.parse(output) as Start & { readonly schedstat: string }
  const { milliseconds, residentBytes, schedstat } = told
  return { milliseconds: milliseconds - parseWaitedUs(schedstat) / 1000, residentBytes }
}
