import type { Clock } from "../contract/clock.js"
import type { FailureRecord, SuccessKind, SuccessRecord } from "../contract/log-record.js"
import { AuthError } from "../errors/auth-error.js"
import { type FailureKind, failureKinds } from "../errors/failure-kind.js"
import { getLanding } from "../errors/landing.js"
import { toOneLine } from "./one-line.js"
import { findRequestId, type Scene } from "./scene.js"

/** Something that went well. */
export interface News {
  readonly kind: SuccessKind
  /** Default: the provider that the request names. */
  readonly providerId?: string | undefined
  readonly userId?: string | undefined
}

export interface RecordNeeds {
  readonly clock: Clock
  /** The configured providers: nothing that a visitor made up gets into a record. */
  readonly providerIds: ReadonlySet<string>
}

/** Longer ids are nobody's. */
const maxIdLength = 200

export function toSuccessRecord({ kind, ...about }: News, scene: Scene, needs: RecordNeeds): SuccessRecord {
  return { ...describeScene({ ...scene, ...about }, needs), outcome: "success", kind }
}

export function toFailureRecord(error: AuthError, scene: Scene, needs: RecordNeeds): FailureRecord {
  const about = { providerId: findText(error, "provider") ?? scene.providerId }
  const { type, reference } = error
  return {
    ...describeScene({ ...scene, ...about }, needs),
    outcome: "failure",
    kind: findKind(error),
    error: type,
    reference,
  }
}

type Described = Pick<SuccessRecord, "time" | "requestId" | "providerId" | "userId">

function describeScene(scene: Scene, { clock, providerIds }: RecordNeeds): Described {
  const { providerId, userId } = scene
  return {
    time: new Date(clock()).toISOString(),
    requestId: findRequestId(scene),
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
  return getLanding(inner instanceof AuthError && inner.type === "AdapterError" ? inner : error).concerns
}

function findText(error: AuthError, detail: string): string | undefined {
  const value = error.cause?.[detail]
  return typeof value === "string" ? value : undefined
}
