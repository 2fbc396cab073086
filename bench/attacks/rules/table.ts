// Runs every attack of the rules against every library.
import { closeRuleScene, openRuleScene, type RulePeer, type RulePeerId, rulePeerIds } from "./app.ts"
import { factorChangeRules } from "./factor-changes.ts"
import { signInRules } from "./factors.ts"
import { passwordChangeRules } from "./password-changes.ts"
import { passwordRules } from "./passwords.ts"
import { accountsJs } from "./peers/accounts-js.ts"
import { betterAuthPeer } from "./peers/better-auth.ts"
import { latchkey } from "./peers/latchkey.ts"
import type { RuleAttack, RuleCell, RuleRow } from "./rule.ts"

export const rulePeers: Readonly<Record<RulePeerId, RulePeer>> = {
  latchkey,
  "better-auth": betterAuthPeer,
  "accounts-js": accountsJs,
}

const byRule = (one: RuleAttack, other: RuleAttack): number => one.rule.localeCompare(other.rule)

/** By rule. */
export const ruleAttacks: readonly RuleAttack[] = [
  ...[...passwordRules, ...passwordChangeRules].sort(byRule),
  ...[...signInRules, ...factorChangeRules].sort(byRule),
]

/** Runs one attack against every library, one after the other: they share the clock. */
export async function runRule({ run, ...rule }: RuleAttack): Promise<RuleRow> {
  const cells: [RulePeerId, RuleCell][] = []
  for (const id of rulePeerIds) cells.push([id, await runAgainst({ ...rule, run }, rulePeers[id])])
  // as: one cell for each id
  return { ...rule, cells: Object.fromEntries(cells) as Record<RulePeerId, RuleCell> }
}

/** Runs one attack against one library. */
export async function runAgainst(rule: RuleAttack, peer: RulePeer): Promise<RuleCell> {
  const missing = rule.needs.find((need) => peer.lacks[need] !== undefined)
  if (missing !== undefined) return { outcome: "absent", detail: peer.lacks[missing] ?? "" }
  try {
    return await rule.run(() => openRuleScene(peer))
  } catch (cause) {
    throw new Error(`The attack ${rule.id} cannot be run against ${peer.id}`, { cause })
  } finally {
    closeRuleScene()
  }
}
