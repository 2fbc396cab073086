import type { LoggerInstance, LogRecord, WarningCode } from "@latchkey/core/types"
import { describeAll } from "./describe-all.js"

/** A logger that keeps what it is told. */
export interface RecordingLogger extends Required<LoggerInstance> {
  readonly errors: readonly Error[]
  readonly warnings: readonly WarningCode[]
  readonly debugs: readonly DebugRecord[]
  /** The audit log. */
  readonly records: readonly LogRecord[]
  /** The `type` of each error, or its name where it has none. */
  errorTypes(): readonly string[]
  /** All of it as text, causes and metadata included, for {@link findLeaks}. */
  texts(): readonly string[]
  clear(): void
}

/** One call of `debug`. */
export interface DebugRecord {
  readonly message: string
  readonly metadata: unknown
}

/** @param next Is told everything too. */
export function recordingLogger(next: Partial<LoggerInstance> = {}): RecordingLogger {
  const errors: Error[] = []
  const warnings: WarningCode[] = []
  const debugs: DebugRecord[] = []
  const records: LogRecord[] = []
  return {
    errors,
    warnings,
    debugs,
    records,
    error(error) {
      errors.push(error)
      return next.error?.(error)
    },
    warn(code) {
      warnings.push(code)
      return next.warn?.(code)
    },
    debug(message, metadata) {
      debugs.push({ message, metadata })
      return next.debug?.(message, metadata)
    },
    record(entry) {
      records.push(entry)
      return next.record?.(entry)
    },
    errorTypes: () => errors.map((error) => ("type" in error ? String(error.type) : error.name)),
    texts: () => [...errors, ...warnings, ...debugs, ...records].map(describeAll),
    clear() {
      for (const list of [errors, warnings, debugs, records]) list.splice(0)
    },
  }
}
