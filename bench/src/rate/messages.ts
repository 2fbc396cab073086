import type { Slice, SliceOrder } from "./slice.ts"

/** What the runner sends to a target's process, and what comes back. */
export type Order = SliceOrder
export type Answer =
  | { readonly kind: "ready" }
  | { readonly kind: "slice"; readonly slice: Slice }
  | { readonly kind: "failed"; readonly reason: string }
