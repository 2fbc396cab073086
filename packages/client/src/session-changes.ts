import type { Session } from "@latchkey/types"

/** Somebody signed in or out, or the session was updated. */
export interface SessionChange {
  /** What it is now, null for nobody; undefined where it has to be asked for. */
  readonly session: Session | null | undefined
}

/** Tells of changes between the tabs of a browser, and between clients on one page. */
export interface SessionChanges {
  /**
   * Tells all who watch, here and elsewhere; a page that is about to be left is told nothing.
   * @param session stays here: other tabs ask for themselves
   */
  tell(going: { readonly redirect?: boolean }, session: SessionChange["session"]): void
  /** @returns what ends it */
  watch(listener: (change: SessionChange) => void): () => void
}

const text = "session changed"
const unknown: SessionChange = { session: undefined }

/** @param name of the service, so that two on one origin are told apart */
export function sessionChanges(name: string): SessionChanges {
  const listeners = new Set<(change: SessionChange) => void>()
  let channel: BroadcastChannel | undefined
  const tellHere = (change: SessionChange): void => {
    for (const listener of [...listeners]) listener(change)
  }
  const open = (): BroadcastChannel | undefined =>
    typeof BroadcastChannel === "undefined" ? undefined : new BroadcastChannel(`latchkey ${name}`)

  function listen(): void {
    channel ??= open()
    channel?.addEventListener("message", ({ data }) => {
      if (data === text) tellHere(unknown)
    })
  }

  function tellOthers(): void {
    // The one that listens does not hear itself.
    const sender = channel ?? open()
    sender?.postMessage(text)
    if (sender !== channel) sender?.close()
  }

  return {
    tell: ({ redirect = true }, session) => {
      tellOthers()
      if (!redirect) tellHere({ session })
    },
    watch: (listener) => {
      if (listeners.size === 0) listen()
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
        if (listeners.size > 0) return
        channel?.close()
        channel = undefined
      }
    },
  }
}
