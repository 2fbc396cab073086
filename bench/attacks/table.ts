import { openScene, type Peer, type PeerId, peerIds } from "./app.ts"
import type { Attack, Cell, Row } from "./attack.ts"
import { mailAttacks } from "./mail.ts"
import { passwordAttacks } from "./passwords.ts"
import { authCore } from "./peers/auth-core.ts"
import { betterAuthPeer } from "./peers/better-auth.ts"
import { ironSession } from "./peers/iron-session.ts"
import { latchkey } from "./peers/latchkey.ts"
import { providerAttacks } from "./provider.ts"
import { requestAttacks } from "./requests.ts"
import { sessionAttacks } from "./sessions.ts"
import { takeovers } from "./takeover.ts"

/** In the order of the columns. */
export const peers: Readonly<Record<PeerId, Peer>> = {
  latchkey,
  "auth-core": authCore,
  "better-auth": betterAuthPeer,
  "iron-session": ironSession,
}

export const attacks: readonly Attack[] = [
  ...takeovers,
  ...providerAttacks,
  ...mailAttacks,
  ...passwordAttacks,
  ...sessionAttacks,
  ...requestAttacks,
]

/** Runs one attack against every library, at the same time. */
export async function runAttack({ run, ...attack }: Attack): Promise<Row> {
  const cells = await Promise.all(
    peerIds.map(async (id) => [id, await runAgainst({ ...attack, run }, peers[id])] as const),
  )
  // as: one cell for each id
  return { ...attack, cells: Object.fromEntries(cells) as Record<PeerId, Cell> }
}

async function runAgainst(attack: Attack, peer: Peer): Promise<Cell> {
  const missing = attack.needs.find((need) => peer.lacks[need] !== undefined)
  if (missing !== undefined) return { outcome: "absent", detail: peer.lacks[missing] ?? "" }
  try {
    return await attack.run((options) => openScene(peer, options), peer)
  } catch (cause) {
    throw new Error(`The attack ${attack.id} cannot be run against ${peer.id}`, { cause })
  }
}
