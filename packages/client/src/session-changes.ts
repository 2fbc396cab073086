import type { AppSession } from "@latchkey/types"

/** A sign-in, a sign-out or an update of the session. */
export interface SessionChange {
  /** The new session, null after a sign-out; undefined if it must be requested. */
  readonly session: AppSession | null | undefined
}

/** Announces changes of the session to other tabs and to other subscribers on the page. */
export interface SessionChanges {
  /**
   * Notifies other tabs, and subscribers in this one unless the page is about to be left.
   * @param session sent only within this page: other tabs request it themselves
   */
  publish(session: SessionChange["session"], options: { readonly redirect?: boolean | undefined }): void
  /** @returns an unsubscribe function */
  subscribe(listener: (change: SessionChange) => void): () => void
}

const message = "session changed"

/** @param name tells services on one origin apart */
export function createSessionChanges(name: string): SessionChanges {
  const listeners = new Set<(change: SessionChange) => void>()
  let channel: BroadcastChannel | undefined
  const notify = (change: SessionChange): void => {
    for (const listener of [...listeners]) listener(change)
  }
  const open = (): BroadcastChannel | undefined =>
    typeof BroadcastChannel === "undefined" ? undefined : new BroadcastChannel(`latchkey ${name}`)

  function listen(): void {
    channel ??= open()
    channel?.addEventListener("message", ({ data }) => {
      if (data === message) notify({ session: undefined })
    })
  }

  function notifyOtherTabs(): void {
    // A channel does not receive its own messages, so use the one that listens, if any.
    const sender = channel ?? open()
    sender?.postMessage(message)
    if (sender !== channel) sender?.close()
  }

  return {
    publish: (session, { redirect = true }) => {
      notifyOtherTabs()
      if (!redirect) notify({ session })
    },
    subscribe: (listener) => {
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
