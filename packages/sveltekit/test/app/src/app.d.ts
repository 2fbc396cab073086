import type { SvelteKitAuthConfig } from "@latchkey/sveltekit"

declare global {
  // biome-ignore lint/style/noNamespace: SvelteKit's types of an app are augmented so
  namespace App {
    interface Platform {
      /** What the test says. */
      readonly config?: SvelteKitAuthConfig
      /** Whether the hook before the pages asks who it is. */
      readonly isAsking?: boolean
    }
  }
}
