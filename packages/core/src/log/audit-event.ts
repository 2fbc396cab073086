import { AuthError, type FailureKind, failureKinds, getErrorPage } from "../errors/auth-error.js"
import { findReason } from "../errors/failure-reason.js"
import type { Clock } from "../types/basics.js"
import type { AuthContext, IncomingHeaders } from "../types/http.js"
import type { FailureRecord, SuccessKind, SuccessRecord } from "../types/logger.js"
import { toOneLine } from "./console.js"

/** An action that succeeded. */
export interface AuditEvent {
  readonly kind: SuccessKind
  /** Default: the provider in the request's path. */
  readonly providerId?: string | undefined
  readonly userId?: string | undefined
}

/** The request that a record belongs to. */
export interface LogContext {
  readonly headers?: IncomingHeaders
  readonly context?: Pick<AuthContext, "requestId"> | undefined
  /** From the path, so untrusted. */
  readonly providerId?: string | undefined
  /** The user of the request, once known. */
  readonly userId?: string | undefined
}

/** What all records of a configuration share. */
export interface RecordOptions {
  readonly clock: Clock
  /** Ids of the configured providers. A record names no other, because a visitor may send anything. */
  readonly providerIds: { has(id: string): boolean }
}

/** Creates the record of an action that succeeded. */
export function toSuccessRecord(
  { kind, ...about }: AuditEvent,
  context: LogContext,
  options: RecordOptions,
): SuccessRecord {
  return { ...describeContext({ ...context, ...about }, options), outcome: "success", kind }
}

/** Creates the record of a failure. The provider in the error's cause takes precedence over that in the path. */
export function toFailureRecord(error: AuthError, context: LogContext, options: RecordOptions): FailureRecord {
  const stated = error.cause?.["provider"]
  const providerId = typeof stated === "string" ? stated : context.providerId
  const { type, reference } = error
  const why = findReason(error)
  return {
    ...describeContext({ ...context, providerId }, options),
    outcome: "failure",
    kind: findKind(error),
    error: type,
    reference,
    ...(why && { reason: why.reason, ...(Object.keys(why.facts).length > 0 && { facts: why.facts }) }),
  }
}

const maxIdLength = 200

function describeContext(
  context: LogContext,
  { clock, providerIds }: RecordOptions,
): Pick<SuccessRecord, "time" | "requestId" | "providerId" | "userId"> {
  const { providerId, userId } = context
  return {
    time: new Date(clock()).toISOString(),
    requestId: findRequestId(context),
    ...(providerId !== undefined && providerIds.has(providerId) && { providerId }),
    ...(isId(userId) && { userId: toOneLine(String(userId)).slice(0, maxIdLength) }),
  }
}

/** Stores may use numbers despite the adapter's type. Other values cannot always be converted to text. */
function isId(userId: unknown): boolean {
  return ["string", "number", "bigint"].includes(typeof userId)
}

/** The kind in the error's cause; that of an adapter's failure in the cause; else the kind of the error's type. */
function findKind(error: AuthError): FailureKind {
  const stated = error.cause?.["concerns"]
  const kind = failureKinds.find((each) => each === stated)
  if (kind) return kind
  const inner = error.cause?.err
  return getErrorPage(inner instanceof AuthError && inner.type === "AdapterError" ? inner : error).concerns
}

/** Ids of proxies and frameworks: UUIDs, trace ids, base 64. */
const plainId = /^[\w.:/+=-]{1,128}$/

/** The generated ids of requests without their own, while the request lives. */
const generatedIds = new WeakMap<object, string>()

/** The same for all records of one request. Anyone can send the header, so it must be plain text. */
function findRequestId({ headers, context }: LogContext): string {
  const stated = context?.requestId ?? headers?.get("x-request-id") ?? ""
  if (plainId.test(stated)) return stated
  const generated = (headers && generatedIds.get(headers)) ?? crypto.randomUUID()
  if (headers) generatedIds.set(headers, generated)
  return generated
}
