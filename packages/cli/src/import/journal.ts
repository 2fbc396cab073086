import { createHash } from "node:crypto"
import type { Adapter } from "@latchkey/core/adapters"

/** How far an import has come. */
export interface Progress {
  /** The cursor of the last row that is dealt with. */
  readonly cursor: string
  /** Users that were stored. */
  readonly stored: number
  /** Users whom the target had already. */
  readonly present: number
  /** Of those, users with another address here. */
  readonly renamed: number
  readonly refused: number
  /** Users who were stored without something that cannot come along. */
  readonly incomplete: number
  /** How much of the report belongs to these rows, in bytes. */
  readonly reportBytes: number
  /** How much of the file of `--map` belongs to these rows, in bytes. Null without it. */
  readonly mapBytes: number | null
  /** Ids of users whom a store without transactions may have in part. */
  readonly open: readonly string[]
}

/** Another import of the same source wrote the journal at the same moment. */
export class JournalTaken extends Error {
  override readonly name = "JournalTaken"
}

/** The journal of an import: one row of the target, written with the users that it tells about. */
export interface Journal {
  /** Null without an interrupted import of this source. */
  read(): Promise<Progress | null>
  /** @throws JournalTaken */
  write(within: Adapter, progress: Progress): Promise<void>
  /** After the last row. */
  remove(): Promise<void>
}

const lifetimeMs = 366 * 24 * 60 * 60 * 1000

/** @param source What identifies the source, such as its name and fingerprint. */
export function openJournal(adapter: Adapter, source: readonly string[]): Journal | null {
  if (!adapter.keepTemporary || !adapter.takeTemporary) return null
  const id = `import:${createHash("sha256").update(JSON.stringify(source)).digest("hex")}`
  const expires = () => new Date(Date.now() + lifetimeMs)
  const read = async (within: Adapter): Promise<Progress | null> => {
    const value = (await within.takeTemporary?.(id)) ?? null
    if (value === null) return null
    await within.keepTemporary?.({ id, value, expires: expires() })
    const progress: Progress = JSON.parse(value)
    return progress
  }
  return {
    read: async () => (adapter.transaction ? adapter.transaction(read) : read(adapter)),
    async write(within, progress) {
      await within.takeTemporary?.(id)
      try {
        await within.keepTemporary?.({ id, value: JSON.stringify(progress), expires: expires() })
      } catch (cause) {
        throw new JournalTaken("Another import of this source is running", { cause })
      }
    },
    async remove() {
      await adapter.takeTemporary?.(id)
    },
  }
}
