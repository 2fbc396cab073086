import { isSameAddress } from "./email-trust.js"

/** A former address that a change can be undone to. */
export interface FormerAddress {
  readonly email: string
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly until: number
}

/** What is known when a new address was proved. */
export interface AddressFacts {
  /** The address of the account. Null: none. */
  readonly current: string | null
  readonly wanted: string
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly now: number
}

/** What a change of the address does with the former ones. */
export interface AddressPlan<Former extends FormerAddress = FormerAddress> {
  /** The one that an undo restores. Null: keep the current address as that one. */
  readonly oldest: Former | null
  /** Those that no longer count. */
  readonly outdated: readonly Former[]
  /** Whether the change leads back to the oldest one, so that there is nothing left to undo. */
  readonly isReturn: boolean
  /** Whether the oldest one was kept for an earlier change, so that its time ends before that of this change. */
  readonly isRenewed: boolean
}

/** How long after the last change of the address it can be undone. */
export const undoSeconds: number = 72 * 60 * 60
/** A change that takes place at the same time may rely on what was kept this long ago. */
const recentMs = 5 * 60 * 1000

/**
 * Of several changes in a row, the oldest address that can be restored wins: a thief who changes the address twice must not
 * become the one whose address is restored. Its time begins anew with each change: a thief must not gain from a change that
 * the user made almost as long ago as it can be undone. If the account still has a kept address, the change that it was kept
 * for did not take place: it counts only while that change may still be under way.
 */
export function planAddressChange<Former extends FormerAddress>(
  { current, wanted, now }: AddressFacts,
  kept: readonly Former[],
): AddressPlan<Former> {
  const isRecent = ({ until }: Former) => until - now > undoSeconds * 1000 - recentMs
  const live = kept.filter(
    (former) => former.until > now && (!isSameAddress(current, former.email) || isRecent(former)),
  )
  const [oldest = null] = live.toSorted((one, other) => one.until - other.until)
  const isReturn = oldest !== null && isSameAddress(oldest.email, wanted)
  return {
    oldest,
    outdated: kept.filter((former) => !live.includes(former)),
    isReturn,
    isRenewed: oldest !== null && !isReturn && !isRecent(oldest),
  }
}
