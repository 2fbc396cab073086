import type { EventCallbacks, LoggerInstance, LogRecord, WarningCode } from "@latchkey/core/types"
import type { Handler } from "../browser/navigation.js"

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
    record(entry) {
      records.push(entry)
      next.record?.(entry)
    },
    errorTypes: () => errors.map((error) => ("type" in error ? String(error.type) : error.name)),
    texts: () => [...errors, ...warnings, ...debugs, ...records].map(describeAll),
    clear() {
      for (const list of [errors, warnings, debugs, records]) list.splice(0)
    },
  }
}

const deepest = 12

/**
 * Everything that a thorough log would print of a value: of errors the message, stack, own fields and causes, of
 * objects every member. For searching, not for reading.
 */
function describeAll(value: unknown): string {
  const seen = new Set<unknown>()
  const lines: string[] = []

  function visit(part: unknown, depth: number): void {
    if (typeof part !== "object" || part === null) {
      lines.push(String(part))
      return
    }
    if (seen.has(part) || depth > deepest) return
    seen.add(part)
    for (const [name, member] of membersOf(part)) {
      lines.push(name)
      visit(member, depth + 1)
    }
  }

  visit(value, 0)
  return lines.join("\n")
}

function membersOf(value: object): readonly (readonly [string, unknown])[] {
  if (value instanceof Map || value instanceof Headers || value instanceof URLSearchParams) {
    return [...value].map(([name, member]) => [String(name), member])
  }
  if (value instanceof Set) return [...value].map((member) => ["", member])
  if (value instanceof URL) return [["href", value.href]]
  const hidden = value instanceof Error ? ["message", "stack", "cause", "errors"] : []
  const names = new Set([...hidden.filter((name) => name in value), ...Object.keys(value)])
  return [...names].map((name) => [name, Reflect.get(value, name)])
}

export type EventName = keyof EventCallbacks
type MessageOf<Name extends EventName> = Parameters<EventCallbacks[Name]>[0]

/** Event handlers that keep what they are told. */
export interface RecordingEvents {
  /** Plugs into `config.events`. */
  readonly handlers: EventCallbacks
  /** The names, in the order in which the events happened. */
  names(): readonly EventName[]
  /** The messages of one event, in order. */
  of<Name extends EventName>(name: Name): readonly MessageOf<Name>[]
  clear(): void
}

/** @param next Is told everything too; what it throws is passed on. */
export function recordingEvents(next: Partial<EventCallbacks> = {}): RecordingEvents {
  const records: { readonly name: EventName; readonly message: unknown }[] = []

  function record<Name extends EventName>(
    name: Name,
    pass?: EventCallbacks[Name],
  ): (message: MessageOf<Name>) => Promise<void> {
    const onward: ((message: never) => unknown) | undefined = pass
    return async (message) => {
      records.push({ name, message })
      // The handler of this name takes the message of this name.
      await onward?.(message as never)
    }
  }

  return {
    handlers: {
      signIn: record("signIn", next.signIn),
      signOut: record("signOut", next.signOut),
      createUser: record("createUser", next.createUser),
      updateUser: record("updateUser", next.updateUser),
      linkAccount: record("linkAccount", next.linkAccount),
      session: record("session", next.session),
    },
    names: () => records.map(({ name }) => name),
    // Only the handler of this name has put messages under it.
    of: <Name extends EventName>(name: Name) =>
      records.filter((entry) => entry.name === name).map(({ message }) => message as MessageOf<Name>),
    clear: () => void records.splice(0),
  }
}

/** An answer as it left the app. */
export interface RecordedAnswer {
  readonly method: string
  readonly url: string
  readonly status: number
  /** Without `Set-Cookie`, which stands in `cookies`. */
  readonly headers: Readonly<Record<string, string>>
  readonly cookies: readonly string[]
  readonly body: string
}

export interface RecordingHandler {
  readonly handler: (request: Request) => Promise<Response>
  readonly answers: readonly RecordedAnswer[]
}

/** Keeps a copy of every answer, so that all of them can be searched when a test is done. */
export function recordingHandler(handler: Handler): RecordingHandler {
  const answers: RecordedAnswer[] = []
  return {
    answers,
    async handler(request) {
      const { method, url } = request
      const response = await handler(request)
      const { "set-cookie": _, ...headers } = Object.fromEntries(response.headers)
      const body = await response.clone().text()
      answers.push({ method, url, status: response.status, headers, cookies: response.headers.getSetCookie(), body })
      return response
    },
  }
}
