import type { AdapterUser } from "@latchkey/core/adapters"
import { digestOf } from "./digest.js"
import type { Items } from "./items.js"
import { fromStored } from "./stored-fields.js"

/** A user who is there, and the text that names their life. */
export interface LivingUser {
  readonly born: string
  readonly user: AdapterUser
}

/** The user of an id; where a life is given, only in that one. */
export async function findUser(items: Items, id: unknown, life?: string): Promise<LivingUser | null> {
  const digest = await digestOf(id)
  const anchor = items.find("user", digest)
  // Both at once where the life is known.
  const born = life ?? (await anchor)?.born
  if (born === undefined) return null
  const [found, profile] = await Promise.all([anchor, items.find("profile", digest, born)])
  return found?.born === born && profile ? { born, user: fromStored(profile) } : null
}
