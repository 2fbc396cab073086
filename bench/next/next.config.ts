import { join } from "node:path"
import type { NextConfig } from "next"

/** Each library gets a build of its own. */
const library = process.env["BENCH_LIBRARY"]

const config: NextConfig = {
  distDir: `.next/${library}`,
  turbopack: {
    // The fixtures stand beside this app.
    root: join(import.meta.dirname, ".."),
    resolveAlias: { "@library": `./libraries/${library}.ts` },
  },
}

export default config
