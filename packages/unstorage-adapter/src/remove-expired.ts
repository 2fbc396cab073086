import { digestOf } from "./digest.js"
import type { ItemKind, Items } from "./items.js"
import { readField } from "./stored-fields.js"

const expiring: readonly ItemKind[] = ["session", "token", "ended"]

/** Removes what had expired at an instant, and says how many sessions and verification tokens it was. */
export async function removeExpired(items: Items, at: Date): Promise<number> {
  const counts = expiring.map(async (kind) => {
    const removed = await Promise.all((await items.list(kind)).map((digest) => removeOne(items, kind, { digest, at })))
    return kind === "ended" ? 0 : removed.filter(Boolean).length
  })
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
}

async function removeOne(
  items: Items,
  kind: ItemKind,
  { digest, at }: { readonly digest: string; readonly at: Date },
): Promise<boolean> {
  const item = await items.find(kind, digest)
  const expires = item && readField(item, "expires")
  if (!(item && expires instanceof Date && expires < at)) return false
  await items.remove(kind, digest)
  if (kind === "session") await items.remove("owned-session", await digestOf(readField(item, "userId")), digest)
  return true
}
