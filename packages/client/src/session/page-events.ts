/** What happens to a page, as far as its session is concerned. */
export interface PageListeners {
  /** Somebody looks at it again. */
  onSeen(): void
  /** It was left, and the browser brings it back as it was. */
  onRestored(): void
  /** The network is there again. */
  onOnline(): void
}

/** Nothing where there is no page. @returns what ends it */
export function watchPage({ onSeen, onRestored, onOnline }: PageListeners): () => void {
  if (typeof window === "undefined" || typeof document === "undefined") return () => undefined
  const listening = new AbortController()
  const { signal } = listening
  const onVisibility = (): void => {
    if (isSeen()) onSeen()
  }
  const onShow = ({ persisted }: PageTransitionEvent): void => {
    if (persisted) onRestored()
  }
  document.addEventListener("visibilitychange", onVisibility, { signal })
  // From one window to another beside it, nothing becomes visible.
  window.addEventListener("focus", onVisibility, { signal })
  window.addEventListener("pageshow", onShow, { signal })
  window.addEventListener("online", onOnline, { signal })
  return () => listening.abort()
}

export function isSeen(): boolean {
  return typeof document === "undefined" || document.visibilityState === "visible"
}

/** As far as the browser knows. */
export function isOffline(): boolean {
  return typeof navigator !== "undefined" && navigator.onLine === false
}
