import type { LoggerInstance } from "../contract/logger.js"
import { AuthError } from "../errors/auth-error.js"
import { describeCause } from "./describe-cause.js"
import { toOneLine } from "./one-line.js"

/** What the log is where the host gives none. */
export const consoleLogger: Required<Omit<LoggerInstance, "record">> = {
  error(error) {
    console.error(`[auth][error] ${error.name}: ${toOneLine(error.message)}${toReference(error)}`)
    for (const line of describeCause(error)) console.error(line)
  },
  warn(code) {
    console.warn(`[auth][warn][${code}]`)
  },
  debug(message, metadata) {
    console.log(`[auth][debug]: ${toOneLine(message)}`, metadata ?? "")
  },
}

function toReference(error: Error): string {
  return error instanceof AuthError ? ` (reference ${error.reference})` : ""
}
