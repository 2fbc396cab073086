import type { EventCallbacks, LoggerInstance, LogRecord, Optional, WarningCode } from "@latchkey/core/types"
import type { Handler } from "../browser/navigation.js"

/** A logger that records its calls. */
export interface RecordingLogger extends Required<LoggerInstance> {
  readonly errors: readonly Error[]
  readonly warnings: readonly WarningCode[]
  /** The sentences of warnings that have one. */
  readonly warningDetails: readonly string[]
  readonly debugs: readonly DebugRecord[]
  /** Records of the audit log. */
  readonly records: readonly LogRecord[]
  /** The `type` of each error, or its name. */
  errorTypes(): readonly string[]
  /** Everything that was logged as text, causes and metadata included, for {@link findLeaks}. */
  texts(): readonly string[]
  /** Forgets everything that was logged. */
  clear(): void
}

/** A call of `debug`. */
export interface DebugRecord {
  readonly message: string
  readonly metadata: unknown
}

/**
 * Creates a logger that records its calls.
 * @param next Receives every call as well.
 */
export function recordingLogger(next: Optional<LoggerInstance> = {}): RecordingLogger {
  const errors: Error[] = []
  const warnings: WarningCode[] = []
  const warningDetails: string[] = []
  const debugs: DebugRecord[] = []
  const records: LogRecord[] = []
  return {
    errors,
    warnings,
    warningDetails,
    debugs,
    records,
    error(error) {
      errors.push(error)
      return next.error?.(error)
    },
    warn(code, detail) {
      warnings.push(code)
      if (detail !== undefined) warningDetails.push(detail)
      return next.warn?.(code, detail)
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
    texts: () =>
      withPlainStacks(() => [...errors, ...warnings, ...warningDetails, ...debugs, ...records].map(describeAll)),
    clear() {
      for (const list of [errors, warnings, warningDetails, debugs, records]) list.splice(0)
    },
  }
}

/**
 * Stacks are written when they are first read. Test runners look each line up in a source map, which takes longer than all else
 * here and is of no use to a search.
 */
function withPlainStacks<T>(read: () => T): T {
  const { prepareStackTrace } = Error
  Reflect.set(Error, "prepareStackTrace", undefined)
  try {
    return read()
  } finally {
    Reflect.set(Error, "prepareStackTrace", prepareStackTrace)
  }
}

const maxDepth = 12

/**
 * All text that a thorough logger would print of a value: message, stack, own fields and cause of an error, and every
 * member of an object. Values that throw when they are read are described as such.
 */
function describeAll(value: unknown): string {
  const seen = new Set<unknown>()
  const lines: string[] = []

  function visit(part: unknown, depth: number): void {
    if (typeof part !== "object" || part === null) {
      lines.push(String(part))
      return
    }
    if (seen.has(part) || depth > maxDepth) return
    seen.add(part)
    for (const [name, member] of membersOf(part)) {
      lines.push(name)
      visit(member, depth + 1)
    }
  }

  visit(value, 0)
  return lines.join("\n")
}

type Members = readonly (readonly [string, unknown])[]

function membersOf(value: object): Members {
  try {
    return readMembers(value)
  } catch (error) {
    // Such as a revoked proxy.
    return [["unreadable", toMessage(error)]]
  }
}

function readMembers(value: object): Members {
  if (value instanceof Map || value instanceof Headers || value instanceof URLSearchParams) {
    return [...value].map(([name, member]) => [String(name), member])
  }
  if (value instanceof Set) return [...value].map((member) => ["", member])
  if (value instanceof URL) return [["href", value.href]]
  const hidden = value instanceof Error ? ["message", "stack", "cause", "errors"] : []
  const names = new Set([...hidden.filter((name) => name in value), ...Object.keys(value)])
  return [...names].map((name) => [name, readMember(value, name)])
}

function readMember(value: object, name: string): unknown {
  try {
    return Reflect.get(value, name)
  } catch (error) {
    return `[getter threw: ${toMessage(error)}]`
  }
}

function toMessage(error: unknown): string {
  return error instanceof Error ? error.message : typeof error
}

/** The name of an event. */
export type EventName = keyof EventCallbacks
type MessageOf<Name extends EventName> = Parameters<EventCallbacks[Name]>[0]

/** Event handlers that record their calls. */
export interface RecordingEvents {
  /** For `config.events`. */
  readonly handlers: EventCallbacks
  /** The names of all events, in order. */
  names(): readonly EventName[]
  /** The messages of one event, in order. */
  of<Name extends EventName>(name: Name): readonly MessageOf<Name>[]
  /** Forgets all events. */
  clear(): void
}

/**
 * Creates event handlers that record their calls.
 * @param next Receives every call as well; its errors are rethrown.
 */
export function recordingEvents(next: Optional<EventCallbacks> = {}): RecordingEvents {
  const records: { readonly name: EventName; readonly message: unknown }[] = []

  function record<Name extends EventName>(
    name: Name,
    pass?: EventCallbacks[Name],
  ): (message: MessageOf<Name>) => Promise<void> {
    const onward: ((message: never) => unknown) | undefined = pass
    return async (message) => {
      records.push({ name, message })
      // as: the handler of an event takes the message of that event
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
      accountUnlinked: record("accountUnlinked", next.accountUnlinked),
      emailChanged: record("emailChanged", next.emailChanged),
      userDeleted: record("userDeleted", next.userDeleted),
      sessionsEnded: record("sessionsEnded", next.sessionsEnded),
      passwordSet: record("passwordSet", next.passwordSet),
      passwordChanged: record("passwordChanged", next.passwordChanged),
      passwordReset: record("passwordReset", next.passwordReset),
      factorAdded: record("factorAdded", next.factorAdded),
      factorRemoved: record("factorRemoved", next.factorRemoved),
      recoveryCodeUsed: record("recoveryCodeUsed", next.recoveryCodeUsed),
      tokensRefreshed: record("tokensRefreshed", next.tokensRefreshed),
      tokensLost: record("tokensLost", next.tokensLost),
      session: record("session", next.session),
    },
    names: () => records.map(({ name }) => name),
    // as: only the handler of an event records messages under its name
    of: <Name extends EventName>(name: Name) =>
      records.filter((entry) => entry.name === name).map(({ message }) => message as MessageOf<Name>),
    clear: () => void records.splice(0),
  }
}

/** A response of the app. */
export interface RecordedAnswer {
  readonly method: string
  readonly url: string
  readonly status: number
  /** Headers other than `Set-Cookie`. */
  readonly headers: Readonly<Record<string, string>>
  /** The `Set-Cookie` headers. */
  readonly cookies: readonly string[]
  readonly body: string
}

/** A handler that records its responses. */
export interface RecordingHandler {
  readonly handler: (request: Request) => Promise<Response>
  /** All responses so far, oldest first. */
  readonly answers: readonly RecordedAnswer[]
}

const decoder = new TextDecoder()

/** Wraps a handler and records its responses, so that a test can search them. */
export function recordingHandler(handler: Handler): RecordingHandler {
  const answers: RecordedAnswer[] = []
  return {
    answers,
    async handler(request) {
      const { method, url } = request
      const response = await handler(request)
      const { "set-cookie": _, ...headers } = Object.fromEntries(response.headers)
      // Read once and sent on: a clone would copy each chunk through two streams.
      const bytes = response.body && (await response.arrayBuffer())
      const body = bytes ? decoder.decode(bytes) : ""
      answers.push({ method, url, status: response.status, headers, cookies: response.headers.getSetCookie(), body })
      return new Response(bytes, response)
    },
  }
}
