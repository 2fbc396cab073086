import { AuthError, toError } from "../errors/auth-error.js"
import type { Clock } from "../types/basics.js"
import type { LoggerInstance, LogRecord, WarningCode } from "../types/logger.js"
import {
  type AuditEvent,
  type LogContext,
  type RecordOptions,
  toFailureRecord,
  toSuccessRecord,
} from "./audit-event.js"
import { consoleLogger } from "./console.js"

/** A logger that never throws, whatever the host's functions do: a failing log must not fail a sign-in. */
export interface Log {
  /**
   * @param context The request in which it happened: then the failure is also recorded. Without one it is told for now,
   *   and the layer above records it by `errorOnce`.
   */
  error(error: Error, context?: LogContext): void
  /** Records a failure. Does not tell of an error a second time, because a layer below met it first. */
  errorOnce(error: Error, context: LogContext): void
  /** Records a refusal that nobody is told of. */
  recordFailure(error: AuthError, context: LogContext): void
  /** Records what went well. */
  record(news: AuditEvent, context: LogContext): void
  warn(code: WarningCode): void
  /** A warning about the configuration, which one line in the log is enough for. */
  warnOnce(code: WarningCode): void
  /** @param describe Makes what is told beside the message, where somebody listens. */
  debug(message: string, describe?: () => unknown): void
}

export interface LogOptions {
  /**
   * Whether the console, where it is the log, also gets what only helps while looking for a mistake. Default: false.
   */
  readonly isDebug?: boolean
  /** Default: the system's. */
  readonly clock?: Clock
  /** The configured providers. Default: none, so that no record names one. */
  readonly providerIds?: ReadonlySet<string>
}

export function createLog(logger: Partial<LoggerInstance> | undefined, options: LogOptions = {}): Log {
  const given = logger ?? {}
  const { isDebug = false, clock = Date.now, providerIds = new Set() } = options
  const needs: RecordOptions = { clock, providerIds }
  const target = createTarget(given)
  const isDebugTold = given.debug !== undefined || isDebug
  const warned = warnedBy(given.warn ?? console.warn)
  const told = new WeakSet<Error>()
  const record = (make: () => LogRecord) => {
    if (given.record) target.record(make())
  }
  const recordFailure = (failure: Error, context: LogContext) => {
    if (failure instanceof AuthError) record(() => toFailureRecord(failure, context, needs))
  }

  return {
    error(failure, context) {
      target.error(failure)
      if (context) recordFailure(failure, context)
      else told.add(failure)
    },
    errorOnce(failure, context) {
      // Forgotten at once: a host may throw the same error object for each of its visitors.
      if (!told.delete(failure)) target.error(failure)
      recordFailure(failure, context)
    },
    recordFailure,
    record: (news, context) => record(() => toSuccessRecord(news, context, needs)),
    warn: (code) => target.warn(code),
    warnOnce(code) {
      if (warned.has(code)) return
      warned.add(code)
      target.warn(code)
    },
    debug(message, describe) {
      if (isDebugTold) target.debug(message, describe?.())
    },
  }
}

/** What was said once, by where it was said: configurations that are made anew for each request share it. */
const warnings = new WeakMap<object, Set<WarningCode>>()

function warnedBy(sink: object): Set<WarningCode> {
  const warned = warnings.get(sink) ?? new Set()
  warnings.set(sink, warned)
  return warned
}

/** The host's functions, with the console in place of those that it does not give, and of those that fail. */
function createTarget(given: Partial<LoggerInstance>): Required<LoggerInstance> {
  const failed = new Set<string>()

  function ask(name: keyof LoggerInstance, own: () => unknown, instead?: () => void): void {
    quietly(own, (thrown) => {
      if (!failed.has(name)) console.error(`[auth][error] logger.${name} failed with ${toError(thrown).name}`)
      failed.add(name)
      instead?.()
    })
  }

  return {
    error(error) {
      const instead = () => consoleLogger.error(error)
      if (given.error) ask("error", () => given.error?.(error), instead)
      else quietly(instead)
    },
    warn(code) {
      const instead = () => consoleLogger.warn(code)
      if (given.warn) ask("warn", () => given.warn?.(code), instead)
      else quietly(instead)
    },
    debug(message, metadata) {
      if (given.debug) ask("debug", () => given.debug?.(message, metadata))
      else quietly(() => consoleLogger.debug(message, metadata))
    },
    record: (entry) => ask("record", () => given.record?.(entry)),
  }
}

/** Nobody waits for a log that answers later. Where the console fails as well there is nowhere left to say so. */
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
