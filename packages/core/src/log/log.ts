import type { LoggerInstance, WarningCode } from "../contract/logger.js"
import { AuthError } from "../errors/auth-error.js"
import { describeCause } from "./describe-cause.js"
import { toOneLine } from "./one-line.js"

/** A logger that never throws, whatever the host's functions do: a failing log must not fail a sign-in. */
export interface Log {
  error(error: Error): void
  /** Says nothing of an error that this log holds already, because a layer below met it first. */
  errorOnce(error: Error): void
  warn(code: WarningCode): void
  /** A warning about the configuration, which one line in the log is enough for. */
  warnOnce(code: WarningCode): void
  debug(message: string, metadata?: unknown): void
}

export interface LogOptions {
  /** Whether the console, where it is the log, also gets what only helps while looking for a mistake. Default: false. */
  readonly isDebug?: boolean
}

export function createLog(given: Partial<LoggerInstance> | undefined, options: LogOptions = {}): Log {
  const target: LoggerInstance = { ...consoleLogger(options), ...ownFunctions(given) }
  const warned = warnedBy(given?.warn ?? console.warn)
  const warn = (code: WarningCode) => quietly(() => target.warn(code))
  const told = new WeakSet<Error>()
  const error = (failure: Error) => {
    told.add(failure)
    quietly(() => target.error(failure))
  }
  return {
    error,
    errorOnce: (failure) => {
      if (!told.has(failure)) error(failure)
    },
    warn,
    warnOnce: (code) => {
      if (warned.has(code)) return
      warned.add(code)
      warn(code)
    },
    debug: (message, metadata) => quietly(() => target.debug(message, metadata)),
  }
}

/** What was said once, by where it was said: configurations that are made anew for each request share it. */
const warnings = new WeakMap<object, Set<WarningCode>>()

function warnedBy(sink: object): Set<WarningCode> {
  const warned = warnings.get(sink) ?? new Set()
  warnings.set(sink, warned)
  return warned
}

function ownFunctions(given: Partial<LoggerInstance> | undefined): Partial<LoggerInstance> {
  if (!given) return {}
  return {
    ...(given.error && { error: (error) => given.error?.(error) }),
    ...(given.warn && { warn: (code) => given.warn?.(code) }),
    ...(given.debug && { debug: (message, metadata) => given.debug?.(message, metadata) }),
  }
}

function quietly(report: () => unknown): void {
  try {
    const pending = report()
    if (pending instanceof Promise) pending.catch(() => {}) // As below.
  } catch {
    // Where the log itself fails there is nowhere left to say so.
  }
}

function consoleLogger({ isDebug = false }: LogOptions): LoggerInstance {
  return {
    error(error) {
      console.error(`[auth][error] ${error.name}: ${toOneLine(error.message)}${toReference(error)}`)
      for (const line of describeCause(error)) console.error(line)
    },
    warn(code) {
      console.warn(`[auth][warn][${code}]`)
    },
    debug(message, metadata) {
      if (isDebug) console.log(`[auth][debug]: ${toOneLine(message)}`, metadata ?? "")
    },
  }
}

function toReference(error: Error): string {
  return error instanceof AuthError ? ` (reference ${error.reference})` : ""
}
