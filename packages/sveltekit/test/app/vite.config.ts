import type { Adapter } from "@sveltejs/kit"
import { sveltekit } from "@sveltejs/kit/vite"

const conditions = ["@latchkey/source", "module", "production"]

const adapter: Adapter = { name: "test", adapt: (builder) => builder.generateServerInstance("build/server.js") }

export default {
  logLevel: "warn",
  resolve: { conditions: [...conditions, "browser"] },
  // Bundled whole: beside the app stand other versions of what SvelteKit needs.
  ssr: { resolve: { conditions: [...conditions, "node"] }, noExternal: true },
  plugins: [
    sveltekit({
      adapter,
      paths: { base: process.env["APP_BASE"] === "/shop" ? "/shop" : "" },
      // What tests of the service send from elsewhere must reach the service, whose answer is what they ask for.
      csrf: { trustedOrigins: ["*"] },
    }),
  ],
}
