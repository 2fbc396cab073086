import { readFile } from "node:fs/promises"
import type { Plugin } from "esbuild"
import { compileScript, parse } from "vue/compiler-sfc"

/** Compiles components of Vue, as the plugin of Vite does. */
export const vue: Plugin = {
  name: "vue",
  setup({ onLoad }) {
    onLoad({ filter: /\.vue$/ }, async ({ path }) => {
      const { descriptor, errors } = parse(await readFile(path, "utf8"), { filename: path })
      const { content } = compileScript(descriptor, { id: path, inlineTemplate: true })
      return { contents: content, loader: "ts", errors: errors.map(({ message: text }) => ({ text })) }
    })
  },
}
