import node from "@astrojs/node"
import { latchkey } from "@latchkey/astro"
import { defineConfig } from "astro/config"

export default defineConfig({
  output: "server",
  adapter: node({ mode: "standalone" }),
  integrations: [latchkey()],
  // The public host of the app: Astro believes the forwarded headers of a proxy for it alone.
  security: { allowedDomains: [{ hostname: "127.0.0.1" }] },
})
