import type { LoggerInstance, WarningCode } from "@latchkey/core/types"
import { describeAll } from "./describe-all.js"

/** A logger that keeps what it is told. */
export interface RecordingLogger extends LoggerInstance {
  readonly errors: readonly Error[]
  readonly warnings: readonly WarningCode[]
  readonly debugs: readonly DebugRecord[]
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
  return {
    errors,
    warnings,
    debugs,
    error(error) {
      errors.push(error)
      next.error?.(error)
    },
    warn(code) {
      warnings.push(code)
      next.warn?.(code)
    },
    debug(message, metadata) {
      debugs.push({ message, metadata })
      next.debug?.(message, metadata)
    },
    errorTypes: () => errors.map((error) => ("type" in error ? String(error.type) : error.name)),
    texts: () => [...errors, ...warnings, ...debugs].map(describeAll),
    clear() {
      for (const list of [errors, warnings, debugs]) list.splice(0)
    },
  }
}
