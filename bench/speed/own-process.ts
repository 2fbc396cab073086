// Measurements in a process of their own, whose heap no other measurement has changed.
import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"

/** V8 would free the bytecode of functions that have not run for some time: 5 MB after a million requests. */
const flags = ["--expose-gc", "--no-flush-bytecode"]

/** Runs a program that can read its heap, and returns the JSON that it prints. */
export function runOwnProcess(program: string, args: readonly string[], more: readonly string[] = []): unknown {
  const env = { ...process.env, NODE_ENV: "production" }
  return JSON.parse(execFileSync(process.execPath, [...flags, ...more, program, ...args], { env, encoding: "utf8" }))
}

/** Bytes in use after a full garbage collection. Only in a process that `runOwnProcess` started. */
export function readHeap(): number {
  assert.ok(globalThis.gc, "--expose-gc is missing")
  for (let time = 0; time < 3; time += 1) globalThis.gc()
  return process.memoryUsage().heapUsed
}
