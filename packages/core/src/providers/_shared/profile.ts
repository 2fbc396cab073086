import type { AnyValue } from "@latchkey/types"

/** The claims of OpenID Connect Core 1.0 section 5.1 that the default mapping reads. */
export interface StandardClaims {
  readonly sub: string
  readonly name?: string
  readonly preferred_username?: string
  readonly email?: string
  readonly email_verified?: boolean
  readonly picture?: string
  readonly [claim: string]: AnyValue
}

/** Joins the parts of a name that exist with spaces. Null if there are none. */
export function joinName(...parts: readonly (string | null | undefined)[]): string | null {
  return parts.filter(Boolean).join(" ") || null
}
