// Imported as `@latchkey/nuxt/nitro-plugin`, by the module.
import type { H3Event } from "h3"
import type { H3Response } from "./handler.js"
import { auth } from "./instance.js"

/** The parts of Nitro that are used. */
export interface NitroApp {
  readonly hooks: {
    hook(name: "request", run: (event: H3Event) => void): unknown
    hook(name: "beforeResponse", run: (event: H3Event, response: H3Response) => void): unknown
  }
}

// biome-ignore lint/style/noDefaultExport: Nitro expects one
export default function plugin({ hooks }: NitroApp): void {
  // The pages are another bundle, which reaches the server by the event.
  hooks.hook("request", (event) => {
    event.context["latchkey"] = auth
  })
  hooks.hook("beforeResponse", auth.beforeResponse)
}
