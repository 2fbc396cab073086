/** What a flow keeps over a reload, in this tab: where it stands. Neither passwords nor codes. */
export interface Kept {
  readonly step: string
  /** What the visitor typed to say who they are. */
  readonly identifier?: string | undefined
}

/** Keeps where a flow stands for this tab. */
export interface Keeper {
  /** Null if there is nothing, or if it is too old. */
  read(): Kept | null
  /** Undefined forgets it. */
  keep(kept: Kept | undefined): void
}

/** As long as the service waits for a second factor, and a mailed code works. */
const maxAgeMs = 10 * 60 * 1000

const maxLength = 320

/** @param findName tells flows and services of one origin apart */
export function createKeeper(findName: () => string): Keeper {
  return {
    read() {
      try {
        const { step, identifier = "", at } = JSON.parse(sessionStorage.getItem(findName()) ?? "null")
        const isValid = typeof step === "string" && typeof identifier === "string" && identifier.length <= maxLength
        return isValid && Math.abs(Date.now() - at) < maxAgeMs ? { step, identifier } : null
      } catch {
        // No storage, nothing kept, or something that is not ours.
        return null
      }
    },
    keep(kept) {
      try {
        if (kept) sessionStorage.setItem(findName(), JSON.stringify({ ...kept, at: Date.now() }))
        else sessionStorage.removeItem(findName())
      } catch {
        // Without storage, a reload begins the flow again.
      }
    },
  }
}
