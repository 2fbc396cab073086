import { AuthError, type FailureKind, failureKinds, getErrorPage } from "../errors/auth-error.js"
import type { Clock } from "../types/basics.js"
import type { AuthContext, IncomingHeaders } from "../types/http.js"
import type { FailureRecord, SuccessKind, SuccessRecord } from "../types/logger.js"
import { toOneLine } from "./console.js"

/** Something that went well. */
export interface AuditEvent {
  readonly kind: SuccessKind
  /** Default: the provider that the request names. */
  readonly providerId?: string | undefined
  readonly userId?: string | undefined
}

export interface RecordOptions {
  readonly clock: Clock
  /** The configured providers: nothing that a visitor made up gets into a record. */
  readonly providerIds: ReadonlySet<string>
}

/** Longer ids are nobody's. */
const maxIdLength = 200

export function toSuccessRecord(
  { kind, ...about }: AuditEvent,
  context: LogContext,
  needs: RecordOptions,
): SuccessRecord {
  return { ...describeContext({ ...context, ...about }, needs), outcome: "success", kind }
}

export function toFailureRecord(error: AuthError, context: LogContext, needs: RecordOptions): FailureRecord {
  const about = { providerId: findText(error, "provider") ?? context.providerId }
  const { type, reference } = error
  return {
    ...describeContext({ ...context, ...about }, needs),
    outcome: "failure",
    kind: findKind(error),
    error: type,
    reference,
  }
}

type Described = Pick<SuccessRecord, "time" | "requestId" | "providerId" | "userId">

function describeContext(context: LogContext, { clock, providerIds }: RecordOptions): Described {
  const { providerId, userId } = context
  return {
    time: new Date(clock()).toISOString(),
    requestId: findRequestId(context),
    ...(providerId !== undefined && providerIds.has(providerId) && { providerId }),
    ...(isId(userId) && { userId: toOneLine(String(userId)).slice(0, maxIdLength) }),
  }
}

/**
 * Stores may hold numbers, whatever the adapter's type says. What else one might answer is no id, and not always text.
 */
function isId(userId: unknown): boolean {
  return ["string", "number", "bigint"].includes(typeof userId)
}

/** What the cause says it is about; a store that failed below; else what the error's type says. */
function findKind(error: AuthError): FailureKind {
  const stated = error.cause?.["concerns"]
  const kind = failureKinds.find((each) => each === stated)
  if (kind) return kind
  const inner = error.cause?.err
  return getErrorPage(inner instanceof AuthError && inner.type === "AdapterError" ? inner : error).concerns
}

function findText(error: AuthError, detail: string): string | undefined {
  const value = error.cause?.[detail]
  return typeof value === "string" ? value : undefined
}

/** The request that a record is about. */
export interface LogContext {
  readonly headers?: IncomingHeaders
  readonly context?: Pick<AuthContext, "requestId"> | undefined
  /** From the path, and so untrusted. */
  readonly providerId?: string | undefined
  /** The user whom it turned out to be about. */
  readonly userId?: string | undefined
}

/** What proxies and frameworks make: UUIDs, trace ids, base 64. */
const plainId = /^[\w.:/+=-]{1,128}$/

/** The id of each request that brought none, as long as the request lives. */
const ownIds = new WeakMap<object, string>()

/** The same for all records of one request. Anybody can send the header, so only what is plain text is taken. */
function findRequestId({ headers, context }: LogContext): string {
  const stated = context?.requestId ?? headers?.get("x-request-id") ?? ""
  if (plainId.test(stated)) return stated
  const own = (headers && ownIds.get(headers)) ?? crypto.randomUUID()
  if (headers) ownIds.set(headers, own)
  return own
}
