import { describe, expect, it } from "vitest"
import { decideLinking, type LinkingFacts } from "./linking.js"

type Owner = "U" | "V" | null
type Word = "continue U" | "continue V" | "link U" | "link V" | "create" | "refuse"

type Fact = boolean | "*"

/**
 * The contract's table, with the columns that the host's flag, the provider's claim and the local user's proof add. `*`
 * is anything.
 */
const table: readonly (readonly [Owner | "*", Owner | "*", Owner | "*", Fact, Fact, Fact, Word])[] = [
  // signed in, account's owner, address's owner, address trusted, address denied, address unproven
  [null, "U", "*", "*", "*", "*", "continue U"],
  [null, "V", "*", "*", "*", "*", "continue V"],
  [null, null, null, "*", "*", "*", "create"],
  [null, null, "U", false, "*", "*", "refuse"],
  [null, null, "V", false, "*", "*", "refuse"],
  [null, null, "U", true, true, "*", "refuse"],
  [null, null, "V", true, true, "*", "refuse"],
  [null, null, "U", true, false, true, "refuse"],
  [null, null, "V", true, false, true, "refuse"],
  [null, null, "U", true, false, false, "link U"],
  [null, null, "V", true, false, false, "link V"],
  ["U", "U", "*", "*", "*", "*", "continue U"],
  ["U", "V", "*", "*", "*", "*", "refuse"],
  ["U", null, "*", "*", "*", "*", "link U"],
  ["V", "V", "*", "*", "*", "*", "continue V"],
  ["V", "U", "*", "*", "*", "*", "refuse"],
  ["V", null, "*", "*", "*", "*", "link V"],
]

const owners: readonly Owner[] = [null, "U", "V"]
const both = [false, true]
const beliefs = both.flatMap((isEmailTrusted) =>
  both.flatMap((isEmailDenied) =>
    both.map((isEmailOwnerUnproven) => ({ isEmailTrusted, isEmailDenied, isEmailOwnerUnproven })),
  ),
)
const everything: readonly LinkingFacts[] = owners.flatMap((signedIn) =>
  owners.flatMap((accountOwner) =>
    owners.flatMap((emailOwner) => beliefs.map((belief) => ({ signedIn, accountOwner, emailOwner, ...belief }))),
  ),
)

function rowsFor({ signedIn, accountOwner, emailOwner, ...belief }: LinkingFacts) {
  const { isEmailTrusted, isEmailDenied, isEmailOwnerUnproven } = belief
  const facts = [signedIn, accountOwner, emailOwner, isEmailTrusted, isEmailDenied, isEmailOwnerUnproven]
  return table.filter((row) => facts.every((fact, column) => row[column] === "*" || row[column] === fact))
}

function say(facts: LinkingFacts): string {
  const decision = decideLinking(facts)
  return "userId" in decision ? `${decision.kind} ${decision.userId}` : decision.kind
}

describe("decideLinking", () => {
  it("has one row for each of all combinations", () => {
    expect(everything).toHaveLength(216)
    for (const facts of everything) expect(rowsFor(facts), JSON.stringify(facts)).toHaveLength(1)
  })

  it.each(table)("signed in %s, account of %s, address of %s, trusted %s, denied %s, unproven %s: %s", (...row) => {
    const covered = everything.filter((facts) => rowsFor(facts).some((found) => found.join() === row.join()))
    expect(covered.length).toBeGreaterThan(0)
    for (const facts of covered) expect(say(facts), JSON.stringify(facts)).toBe(row[6])
  })

  it("ENUM-03: says in a refusal why, and names nobody", () => {
    const decisions = everything.map(decideLinking)
    const reasons = decisions.flatMap((decision) => (decision.kind === "refuse" ? [decision.reason] : []))
    expect(new Set(reasons).size).toBe(4)
    for (const reason of reasons) expect(reason).not.toMatch(/\b[UV]\b/)
  })
})
