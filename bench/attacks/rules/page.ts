// The page about passwords and second factors, from results.json.
import type { Results } from "../../comparison/data.ts"
import { listWeak, symbols, toAnchor, toTable } from "../../comparison/markdown.ts"
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
    const path = `bench/attacks/rules/${findFile(id)}`
    return `### ${title}\n\n${story}\n\nRule ${rule}. Source: ${source}. Script: \`${id}\` in [${path}](../../${path}).`
  })
  return `# Passwords and second factors

Latchkey has ten rules for passwords and twelve for second factors. The titles of the tests that enforce them begin with \`PASS-01\` to \`PASS-10\` and \`FAC-01\` to \`FAC-12\`
([all security tests](../security-cases.md)). This page turns them into attacks on the published libraries. Each attack is a short script against a new app, with users who signed up by mail.
\`npm run compare -- --only rules\` runs the attacks and writes this page.

${symbols.refused} the attack is refused, ${symbols["gets in"]} it succeeds, ${symbols.absent} the library does not have the feature.

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
    ["", "attacks refused, without missing features", ...rulePeerIds.map((id) => count(rows, id))],
  ],
)}

## Where Latchkey is not the best

${weak.join("\n") || "No row of this table."}

## The configurations

- All: passwords of at least 15 characters, no list of breached passwords (the scripts cannot reach the online lists), mails kept in memory, one proxy.
- Latchkey: \`Passwords\` with a pepper, \`secondFactors\` with authenticator apps, recovery codes and remembered devices, \`trackSessions\`, mailed links, one OpenID provider.
- Better Auth: \`requireEmailVerification\`, \`revokeSessionsOnPasswordReset\`, \`revokeOtherSessions\` on a change, \`freshAge\` of ten minutes, rate limits that know the
  address of the proxy; its plugins for two factors, mailed links and an OpenID provider.
- Accounts.js: \`@accounts/password\` with its second factor (a window of one step, like the others), \`@accounts/magic-link\` and \`@accounts/rest-express\`; only verified
  addresses can sign in, and a change ends all sessions. The database is in memory, with the fields of its MongoDB adapter.
- Nothing is added that a library leaves to the app, such as a pepper in a custom hash function.

## The attacks

${stories.join("\n\n")}
`
}
