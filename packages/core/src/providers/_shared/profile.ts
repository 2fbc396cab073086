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

/** The outline of a person, for providers without a freely licensed logo. Path data of a 24 by 24 SVG. */
export const neutralMark: string =
  "M12 12.5a5.25 5.25 0 1 0 0-10.5 5.25 5.25 0 0 0 0 10.5Zm0 2c-5.1 0-9.25 2.8-9.25 6.25 0 .7.55 1.25 1.25 1.25h16c.7 0 1.25-.55 1.25-1.25 0-3.45-4.15-6.25-9.25-6.25Z"
