import { describe, expect, it } from "vitest"
import { decideLinking, type LinkingFacts } from "./link-oauth.js"

type Owner = "U" | "V" | null
type Word = "continue U" | "continue V" | "link U" | "link V" | "create" | "refuse"

type Fact = boolean | "*"

/** Who began the sign-in; null was signed out, undefined is unknown. */
type Initiator = Owner | undefined

/**
 * The contract's table, with the columns that the initiator, the host's flag, the provider's claim and the local user's
 * proof add. `*` is anything.
 */
const table: readonly (readonly [Owner | "*", Initiator | "*", Owner | "*", Owner | "*", Fact, Fact, Fact, Word])[] = [
  // signed in, began the sign-in, account's owner, address's owner, address trusted, address denied, address unverified
  [null, "*", "U", "*", "*", "*", "*", "continue U"],
  [null, "*", "V", "*", "*", "*", "*", "continue V"],
  [null, "*", null, null, "*", "*", "*", "create"],
  [null, "*", null, "U", false, "*", "*", "refuse"],
  [null, "*", null, "V", false, "*", "*", "refuse"],
  [null, "*", null, "U", true, true, "*", "refuse"],
  [null, "*", null, "V", true, true, "*", "refuse"],
  [null, "*", null, "U", true, false, true, "refuse"],
  [null, "*", null, "V", true, false, true, "refuse"],
  [null, "*", null, "U", true, false, false, "link U"],
  [null, "*", null, "V", true, false, false, "link V"],
  ["U", "*", "U", "*", "*", "*", "*", "continue U"],
  ["U", "*", "V", "*", "*", "*", "*", "refuse"],
  ["U", "U", null, "*", "*", "*", "*", "link U"],
  ["U", "V", null, "*", "*", "*", "*", "refuse"],
  ["U", null, null, "*", "*", "*", "*", "refuse"],
  ["U", undefined, null, "*", "*", "*", "*", "refuse"],
  ["V", "*", "V", "*", "*", "*", "*", "continue V"],
  ["V", "*", "U", "*", "*", "*", "*", "refuse"],
  ["V", "V", null, "*", "*", "*", "*", "link V"],
  ["V", "U", null, "*", "*", "*", "*", "refuse"],
  ["V", null, null, "*", "*", "*", "*", "refuse"],
  ["V", undefined, null, "*", "*", "*", "*", "refuse"],
]

const owners: readonly Owner[] = [null, "U", "V"]
const initiators: readonly Initiator[] = [...owners, undefined]
const both = [false, true]
const beliefs = both.flatMap((isEmailTrusted) =>
  both.flatMap((isEmailDenied) =>
    both.map((isEmailOwnerUnverified) => ({ isEmailTrusted, isEmailDenied, isEmailOwnerUnverified })),
  ),
)
const everything: readonly LinkingFacts[] = owners.flatMap((currentUser) =>
  initiators.flatMap((initiator) =>
    owners.flatMap((accountOwner) =>
      owners.flatMap((emailOwner) =>
        beliefs.map((belief) => ({ currentUser, initiator, accountOwner, emailOwner, ...belief })),
      ),
    ),
  ),
)

function rowsFor({ currentUser, initiator, accountOwner, emailOwner, ...belief }: LinkingFacts) {
  const { isEmailTrusted, isEmailDenied, isEmailOwnerUnverified } = belief
  const facts = [
    currentUser,
    initiator,
    accountOwner,
    emailOwner,
    isEmailTrusted,
    isEmailDenied,
    isEmailOwnerUnverified,
  ]
  return table.filter((row) => facts.every((fact, column) => row[column] === "*" || row[column] === fact))
}

function say(facts: LinkingFacts): string {
  const decision = decideLinking(facts)
  return "userId" in decision ? `${decision.kind} ${decision.userId}` : decision.kind
}

describe("decideLinking", () => {
  it("has exactly one row for each combination", () => {
    expect(everything).toHaveLength(864)
    for (const facts of everything) expect(rowsFor(facts), JSON.stringify(facts)).toHaveLength(1)
  })

  it.each(table)(
    "LINK-07: signed in %s, begun by %s, account of %s, address of %s, trusted %s, denied %s, unverified %s: %s",
    (...row) => {
      const covered = everything.filter((facts) => rowsFor(facts).some((found) => found.join() === row.join()))
      expect(covered.length).toBeGreaterThan(0)
      for (const facts of covered) expect(say(facts), JSON.stringify(facts)).toBe(row[7])
    },
  )

  it("ENUM-03: gives the reason of a rejection without a user", () => {
    const decisions = everything.map(decideLinking)
    const reasons = decisions.flatMap((decision) => (decision.kind === "refuse" ? [decision.reason] : []))
    expect(new Set(reasons).size).toBe(7)
    for (const reason of reasons) expect(reason).not.toMatch(/\b[UV]\b/)
  })
})
