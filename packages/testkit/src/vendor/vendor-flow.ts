import type { Members } from "../identity-provider/faults/fault.js"
import type { KeyRing } from "../identity-provider/keys.js"
import type { FlowValues } from "./expectations.js"
import type { VendorRefusal, VendorRules } from "./vendor-rules.js"

/** The part of a sign-in at which a vendor refuses. */
export type RefusedStage = "authorization" | "token" | "profile"

/** The app as it is registered. */
export interface VendorClient {
  readonly client_id: string
  readonly client_secret: string
}

/** What the endpoints of one vendor share. */
export interface VendorFlow {
  readonly rules: VendorRules
  readonly client: VendorClient
  readonly keys: KeyRing
  /** Null while the vendor agrees to everything. */
  readonly refused: RefusedStage | null
  /** What the last sign-in brought so far. A spent code is empty. */
  readonly values: FlowValues
  /** Forgets the sign-in before. */
  readonly begin: (values: FlowValues) => void
  readonly keep: (values: FlowValues) => void
}

/** What expectations may name. */
export function valuesOf({ values, client }: VendorFlow): FlowValues {
  return { ...values, ...client }
}

/** A request that is not as the vendor wants it. */
export class Complaint extends Error {}

export function complain(about: string, faults: readonly string[]): void {
  if (faults.length > 0) throw new Complaint(`${about}: ${faults.join("; ")}`)
}

export function toRefusal({ status = 400, body }: VendorRefusal): Response {
  return typeof body === "string" ? new Response(body, { status }) : Response.json(body, { status })
}

export function toAnswer(answer: Members | Response): Response {
  return answer instanceof Response ? answer : Response.json(answer)
}
