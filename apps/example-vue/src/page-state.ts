import type { Session } from "@latchkey/vue"

/** What the server knows about a page, and sends along with it. */
export interface PageState {
  readonly path: string
  /** Null when signed out. */
  readonly session: Session | null
}
