// The tables of the core, bundled from its sources because Node does not resolve `.js` to `.ts`.
import { join } from "node:path"
import { build } from "esbuild"
import { root } from "./pages.mjs"

const contents = `
  export { resolveCookies } from "./http/cookie-options.ts"
  export { routes } from "./actions/routes.ts"
  export { errorPages, failureKinds } from "./errors/auth-error.ts"`

export async function loadCore() {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: join(root, "packages", "core", "src"), loader: "ts" },
    absWorkingDir: root,
    bundle: true,
    format: "esm",
    platform: "node",
    jsx: "automatic",
    jsxImportSource: "preact",
    conditions: ["@latchkey/source"],
    write: false,
    logLevel: "silent",
  })
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`)
}
