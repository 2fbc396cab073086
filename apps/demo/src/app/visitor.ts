import { createHash } from "node:crypto"
import type { Session } from "@latchkey/core"

/** The session as the demo's `session` callback gives it out. */
export interface Visitor extends Session {
  readonly user: { readonly id: string; readonly name: string; readonly email: string }
  /** Names this session in the list of sessions without giving its token away. */
  readonly reference: string
}

/** A short digest of a session token. The token is random, so that nobody finds it from this. */
export function sessionReference(sessionToken: string): string {
  return createHash("sha256").update(sessionToken).digest("hex").slice(0, 12)
}

/** Whether a session is one that the demo's `session` callback gave out. */
export function isVisitor(session: Session | null): session is Visitor {
  return session !== null && typeof session.user?.id === "string" && "reference" in session
}
