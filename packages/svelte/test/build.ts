import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { build, type Plugin } from "esbuild"
import { compile } from "svelte/compiler"

type Side = "client" | "server"

/** Compiles components of Svelte, as the plugin of Vite does. */
export const svelte = (generate: Side): Plugin => ({
  name: "svelte",
  setup({ onLoad }) {
    onLoad({ filter: /\.svelte$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8")
      const { js, warnings } = compile(source, { generate, filename: path, dev: false })
      return { contents: js.code, loader: "js", warnings: warnings.map(({ message: text }) => ({ text })) }
    })
  },
})

const entries = {
  client: `export * from "@latchkey/svelte"
    export { default as Root } from "./root.svelte"
    export { flushSync, hydrate, mount, unmount } from "svelte"`,
  server: `export { default as Root } from "./root.svelte"
    export { render } from "svelte/server"`,
}

/** Compiles the app of the tests for a browser or a server, and loads it. */
export async function loadApp<Exports>(side: Side): Promise<Exports> {
  const { outputFiles } = await build({
    stdin: { contents: entries[side], resolveDir: join(import.meta.dirname, "app"), loader: "js" },
    bundle: true,
    write: false,
    format: "cjs",
    platform: side === "client" ? "browser" : "node",
    conditions: ["@latchkey/source", "svelte", ...(side === "client" ? ["browser"] : [])],
    plugins: [svelte(side)],
    logLevel: "silent",
  })
  const module = { exports: {} }
  new Function("module", "exports", outputFiles[0]?.text ?? "")(module, module.exports)
  return module.exports as Exports // What the entry exports.
}
