import type { AdapterSuite } from "@latchkey/testkit/adapter"

type Broken = NonNullable<AdapterSuite["notPromised"]>

/** Claims of the shared suite that fall to one reason. */
export function because(reason: string, claims: readonly string[]): Broken {
  return Object.fromEntries(claims.map((claim) => [claim, reason]))
}

/** What adapters share that write the counter of a passkey without looking at the one that is there. */
export const countersMoveBack: Broken = because("the counter of a passkey is written without looking at the old one", [
  "ADP-08: never decreases a counter",
  "ADP-08: keeps the largest counter of many concurrent callers in any order",
])

/** What is found in MySQL and MariaDB by what only looks alike. */
export const looksAlike: Broken = because("the default collations ignore case, accents and trailing spaces", [
  'ADP-01: finds no session or verification token by ""',
  "ADP-13: does not find a user by a look-alike email",
  "ADP-13: does not find a session by a look-alike token",
  "ADP-13: does not consume a verification token with a look-alike",
])

/** What two statements lose that should be one. */
export const tokensTwice: Broken = because("a verification token is read and removed by two statements", [
  "ADP-04: returns a verification token to exactly one of many concurrent callers",
])
