// Lets Node run the TypeScript sources: their relative imports name the built files.
import { enableCompileCache, flushCompileCache, registerHooks } from "node:module"
import { join } from "node:path"

registerHooks({
  resolve(specifier, context, next) {
    const isSource = context.parentURL?.endsWith(".ts") && specifier.startsWith(".") && specifier.endsWith(".js")
    return next(isSource ? specifier.replace(/\.js$/, ".ts") : specifier, context)
  },
})

// Stripping the types takes longer than most of these processes work. The cache knows the files by their content.
enableCompileCache(join(import.meta.dirname, "..", "..", "..", "..", "node_modules", ".cache", "latchkey-sources"))
const { send } = process
// Node writes the cache at exit, but a parent that has its answer may kill the process.
if (send)
  process.send = (...given) => {
    flushCompileCache()
    return Reflect.apply(send, process, given)
  }
