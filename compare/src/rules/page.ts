// The page about passwords and second factors, from results.json.
import type { Results } from "../data.ts"
import { listWeak, symbols, toAnchor, toTable } from "../markdown.ts"
import { type RulePeerId, rulePeerIds } from "./app.ts"
import { factorChangeRules } from "./factor-changes.ts"
import { signInRules } from "./factors.ts"
import { passwordChangeRules } from "./password-changes.ts"
import { passwordRules } from "./passwords.ts"
import type { RuleCell, RuleRow } from "./rule.ts"
import { rulePeers } from "./table.ts"

const names: Readonly<Record<RulePeerId, string>> = {
  latchkey: "Latchkey",
  "better-auth": "Better Auth",
  "accounts-js": "Accounts.js",
}

const attacksByFile = {
  "passwords.ts": passwordRules,
  "password-changes.ts": passwordChangeRules,
  "factors.ts": signInRules,
  "factor-changes.ts": factorChangeRules,
}

/** The file of an attack. */
function findFile(id: string): string {
  const found = Object.entries(attacksByFile).find(([, attacks]) => attacks.some((each) => each.id === id))
  if (!found) throw new Error(`No file has the attack ${id}. Run \`npm run compare -- --only rules\``)
  return found[0]
}

const toCell = ({ outcome, detail }: RuleCell): string =>
  `${symbols[outcome]} ${outcome === "absent" ? `not offered: ${detail}` : detail}`

const count = (rows: readonly RuleRow[], id: RulePeerId): string => {
  const offered = rows.filter(({ cells }) => cells[id].outcome !== "absent")
  return `${offered.filter(({ cells }) => cells[id].outcome === "refused").length} of ${offered.length}`
}

export function toRulesPage({ rows, date, machine, versions, isNewest }: Results["rules"]): string {
  const packages = rulePeerIds.map((id) => `\`${rulePeers[id].packageName}\` ${versions[id]}`).join(", ")
  const weak = listWeak(rows, { ids: rulePeerIds, names, page: "" })
  const stories = rows.map(({ id, rule, title, story, source }) => {
    const path = `compare/src/rules/${findFile(id)}`
    return `### ${title}\n\n${story}\n\nRule ${rule}. Source: ${source}. Script: \`${id}\` in [${path}](../../${path}).`
  })
  return `# Passwords and second factors

Latchkey has ten rules for each of the two: its tests have titles that begin with \`PASS-01\` to \`PASS-10\` and \`FAC-01\` to \`FAC-10\`
([list of all](../security-cases.md)). Here they are attacks on the published libraries. Each is a short script that first does the same honestly, with a user who signs up by mail.
\`npm run compare -- --only rules\` runs them, and writes this page.

${symbols.refused} the attack is refused, ${symbols["gets in"]} it reaches its aim, ${symbols.absent} the library does not offer what the row is about.

- ${date}. ${packages}.${isNewest === true ? " Each was the newest version on that day." : ""}
- ${machine}

${toTable(
  ["rule", "attack", ...rulePeerIds.map((id) => names[id])],
  [
    ...rows.map(({ rule, title, cells }) => [
      rule,
      `[${title}](#${toAnchor(title)})`,
      ...rulePeerIds.map((id) => toCell(cells[id])),
    ]),
    ["", "refused, of those that are offered", ...rulePeerIds.map((id) => count(rows, id))],
  ],
)}

## Where Latchkey is not the best

${weak.join("\n") || "No row of this table."}

## The configurations

- All: passwords of at least 15 characters, no list of breached passwords (the online ones are out of reach of the scripts), mails that are kept, one proxy.
- Latchkey: \`Passwords\` with a pepper, \`secondFactors\` with authenticator apps, recovery codes and remembered devices, \`trackSessions\`, mailed links, one OpenID provider.
- Better Auth: \`requireEmailVerification\`, \`revokeSessionsOnPasswordReset\`, \`revokeOtherSessions\` at a change, \`freshAge\` of ten minutes, rate limits with the
  address of the proxy; its plugins for two factors, mailed links and an OpenID provider.
- Accounts.js: \`@accounts/password\` with its second factor (a window of one step, as the others), \`@accounts/magic-link\` and \`@accounts/rest-express\`; only verified
  addresses sign in, and a change ends all sessions. Its database is one in memory, with the fields of its adapter for MongoDB.
- What the documentation of a library leaves to the app, such as a pepper by an own hash function, is not added.

## The attacks

${stories.join("\n\n")}
`
}
