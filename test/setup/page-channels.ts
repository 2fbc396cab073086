import { vi } from "vitest"

/**
 * Each page is in a browser of its own: what an earlier test of this process has left subscribed must not hear of a sign-in
 * here, and request the session. Undo with `vi.unstubAllGlobals`.
 */
export function stubChannels(): void {
  const browser = crypto.randomUUID()
  const Channel = globalThis.BroadcastChannel
  vi.stubGlobal(
    "BroadcastChannel",
    class extends Channel {
      constructor(name: string) {
        super(`${browser} ${name}`)
      }
    },
  )
}
