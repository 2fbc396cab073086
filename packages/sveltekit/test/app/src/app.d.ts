import type { SvelteKitAuthConfig } from "@latchkey/sveltekit"

declare global {
  // biome-ignore lint/style/noNamespace: SvelteKit's types of an app are augmented this way
  namespace App {
    interface Platform {
      /** The test's configuration. */
      readonly config?: SvelteKitAuthConfig
      /** Whether a hook reads the session before any page does. */
      readonly readsSessionInHook?: boolean
    }
  }
}
