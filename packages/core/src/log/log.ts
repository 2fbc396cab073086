import { AuthError, toError } from "../errors/auth-error.js"
import type { Clock, Optional } from "../types/basics.js"
import type { LoggerInstance, LogRecord, WarningCode } from "../types/logger.js"
import {
  type AuditEvent,
  type LogContext,
  type RecordOptions,
  toFailureRecord,
  toSuccessRecord,
} from "./audit-event.js"
import { consoleLogger } from "./console.js"

/** The log of the service. Never throws, because a failing logger must not fail a sign-in. */
export interface Log {
  /** Whether debug messages are logged. */
  readonly logsDebug: boolean
  /**
   * Logs an error, and records it if there is a context. Without one, a caller further up records it with `errorOnce`.
   * @param context The request in which the error occurred.
   */
  error(error: Error, context?: LogContext): void
  /** Records a failure, and logs it unless `error` already did. */
  errorOnce(error: Error, context: LogContext): void
  /** Records a failure without logging it. */
  recordFailure(error: AuthError, context: LogContext): void
  /** Records an action that succeeded. */
  record(event: AuditEvent, context: LogContext): void
  /** Logs a warning. */
  warn(code: WarningCode): void
  /** Logs a warning about the configuration, once for each logger and `detail`. */
  warnOnce(code: WarningCode, detail?: string): void
  /** Logs a mistake in the configuration that was found without a request, once for each logger. */
  mistakeOnce(mistake: AuthError): void
  /** @param describe Creates the metadata. Called only if debug messages are logged. */
  debug(message: string, describe?: () => unknown): void
}

/** Options of {@link createLog}. */
export interface LogOptions {
  /** Whether the console gets debug messages. A custom `debug` function always does. Default: false. */
  readonly isDebug?: boolean
  /** Default: the system's time. */
  readonly clock?: Clock
  /** Ids of the configured providers. Default: none, so no record names a provider. */
  readonly providerIds?: RecordOptions["providerIds"]
}

/** Creates the log of a configuration. */
export function createLog(logger: Optional<LoggerInstance> | undefined, options: LogOptions = {}): Log {
  const given = logger ?? {}
  const { isDebug = false, clock = Date.now, providerIds = new Set() } = options
  const recordOptions: RecordOptions = { clock, providerIds }
  const target = createTarget(given)
  const logsDebug = given.debug !== undefined || isDebug
  const warned = warnedBy(given.warn ?? console.warn)
  const logged = new WeakSet<Error>()
  const record = (make: () => LogRecord) => {
    if (given.record) target.record(make())
  }
  const recordFailure = (failure: Error, context: LogContext) => {
    if (failure instanceof AuthError) record(() => toFailureRecord(failure, context, recordOptions))
  }

  return {
    logsDebug,
    error(failure, context) {
      target.error(failure)
      if (context) recordFailure(failure, context)
      else logged.add(failure)
    },
    errorOnce(failure, context) {
      // Deleted, because the app may throw the same error object for every request.
      if (!logged.delete(failure)) target.error(failure)
      recordFailure(failure, context)
    },
    recordFailure,
    record: (event, context) => record(() => toSuccessRecord(event, context, recordOptions)),
    warn: (code) => target.warn(code),
    warnOnce(code, detail) {
      const key = detail === undefined ? code : `${code} ${detail}`
      if (warned.has(key)) return
      warned.add(key)
      target.warn(code, detail)
    },
    mistakeOnce(mistake) {
      const known = warnedBy(given.error ?? console.error)
      if (known.has(mistake.message)) return
      known.add(mistake.message)
      target.error(mistake)
    },
    debug(message, describe) {
      if (logsDebug) target.debug(message, describe?.())
    },
  }
}

/** What each logger function was told once. Configurations that are created for every request share them. */
const warnings = new WeakMap<object, Set<string>>()

function warnedBy(sink: object): Set<string> {
  const warned = warnings.get(sink) ?? new Set()
  warnings.set(sink, warned)
  return warned
}

/** The given functions, with the console in place of those that are missing or fail. */
function createTarget(given: Optional<LoggerInstance>): Required<LoggerInstance> {
  const failed = new Set<string>()

  function call(name: keyof LoggerInstance, own: () => unknown, fallback?: () => void): void {
    quietly(own, (thrown) => {
      if (!failed.has(name)) console.error(`[auth][error] logger.${name} failed with ${toError(thrown).name}`)
      failed.add(name)
      fallback?.()
    })
  }

  return {
    error(error) {
      const fallback = () => consoleLogger.error(error)
      if (given.error) call("error", () => given.error?.(error), fallback)
      else quietly(fallback)
    },
    warn(code, detail) {
      const fallback = () => consoleLogger.warn(code, detail)
      // A logger that was written for one argument gets one, unless there is more to say.
      const own = () => (detail === undefined ? given.warn?.(code) : given.warn?.(code, detail))
      if (given.warn) call("warn", own, fallback)
      else quietly(fallback)
    },
    debug(message, metadata) {
      if (given.debug) call("debug", () => given.debug?.(message, metadata))
      else quietly(() => consoleLogger.debug(message, metadata))
    },
    record: (entry) => call("record", () => given.record?.(entry)),
  }
}

/** Calls a logger function without waiting for a promise. An error of `onFailure` is dropped: even the console failed. */
function quietly(report: () => unknown, onFailure?: (thrown: unknown) => void): void {
  const fail = (thrown: unknown) => {
    if (onFailure) quietly(() => onFailure(thrown))
  }
  try {
    const pending = report()
    if (pending instanceof Promise) pending.catch(fail)
  } catch (thrown) {
    fail(thrown)
  }
}
