import type { Adapter } from "@sveltejs/kit"
import { sveltekit } from "@sveltejs/kit/vite"

const conditions = ["@latchkey/source", "module", "production"]

const adapter: Adapter = { name: "test", adapt: (builder) => builder.generateServerInstance("build/server.js") }

export default {
  logLevel: "warn",
  resolve: { conditions: [...conditions, "browser"] },
  // Bundled completely: other versions of SvelteKit's dependencies are installed beside the app.
  ssr: { resolve: { conditions: [...conditions, "node"] }, noExternal: true },
  plugins: [
    sveltekit({
      adapter,
      paths: { base: process.env["APP_BASE"] === "/shop" ? "/shop" : "" },
      // Cross-site requests of the tests must reach the service, which rejects them itself.
      csrf: { trustedOrigins: ["*"] },
    }),
  ],
}
