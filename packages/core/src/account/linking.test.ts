import { describe, expect, it } from "vitest"
import { decideLinking, type LinkingFacts } from "./linking.js"

type Owner = "U" | "V" | null
type Word = "continue U" | "continue V" | "link U" | "link V" | "create" | "refuse"

/** The contract's table, with the two columns that the host's flag and the provider's claim add. `*` is anything. */
const table: readonly (readonly [Owner | "*", Owner | "*", Owner | "*", boolean | "*", boolean | "*", Word])[] = [
  // signed in, account's owner, address's owner, address trusted, address denied
  [null, "U", "*", "*", "*", "continue U"],
  [null, "V", "*", "*", "*", "continue V"],
  [null, null, null, "*", "*", "create"],
  [null, null, "U", false, "*", "refuse"],
  [null, null, "V", false, "*", "refuse"],
  [null, null, "U", true, true, "refuse"],
  [null, null, "V", true, true, "refuse"],
  [null, null, "U", true, false, "link U"],
  [null, null, "V", true, false, "link V"],
  ["U", "U", "*", "*", "*", "continue U"],
  ["U", "V", "*", "*", "*", "refuse"],
  ["U", null, "*", "*", "*", "link U"],
  ["V", "V", "*", "*", "*", "continue V"],
  ["V", "U", "*", "*", "*", "refuse"],
  ["V", null, "*", "*", "*", "link V"],
]

const owners: readonly Owner[] = [null, "U", "V"]
const both = [false, true]
const everything: readonly LinkingFacts[] = owners.flatMap((signedIn) =>
  owners.flatMap((accountOwner) =>
    owners.flatMap((emailOwner) =>
      both.flatMap((isEmailTrusted) =>
        both.map((isEmailDenied) => ({ signedIn, accountOwner, emailOwner, isEmailTrusted, isEmailDenied })),
      ),
    ),
  ),
)

function rowsFor({ signedIn, accountOwner, emailOwner, isEmailTrusted, isEmailDenied }: LinkingFacts) {
  const facts = [signedIn, accountOwner, emailOwner, isEmailTrusted, isEmailDenied]
  return table.filter((row) => facts.every((fact, column) => row[column] === "*" || row[column] === fact))
}

function say(facts: LinkingFacts): string {
  const decision = decideLinking(facts)
  return "userId" in decision ? `${decision.kind} ${decision.userId}` : decision.kind
}

describe("decideLinking", () => {
  it("has one row for each of all combinations", () => {
    expect(everything).toHaveLength(108)
    for (const facts of everything) expect(rowsFor(facts), JSON.stringify(facts)).toHaveLength(1)
  })

  it.each(table)("signed in %s, account of %s, address of %s, trusted %s, denied %s: %s", (...row) => {
    const covered = everything.filter((facts) => rowsFor(facts).some((found) => found.join() === row.join()))
    expect(covered.length).toBeGreaterThan(0)
    for (const facts of covered) expect(say(facts), JSON.stringify(facts)).toBe(row[5])
  })

  it("ENUM-03: says in a refusal why, and names nobody", () => {
    const decisions = everything.map(decideLinking)
    const reasons = decisions.flatMap((decision) => (decision.kind === "refuse" ? [decision.reason] : []))
    expect(new Set(reasons).size).toBe(3)
    for (const reason of reasons) expect(reason).not.toMatch(/\b[UV]\b/)
  })
})
