// Imported as `@latchkey/nuxt/middleware`, by the module.
import type { EventHandler } from "h3"
import { auth } from "./instance.js"

const handler: EventHandler = auth.handler

// biome-ignore lint/style/noDefaultExport: Nitro expects one
export default handler
