// Lets Node run the sources as they are: their relative imports name the built files.
import { registerHooks } from "node:module"

registerHooks({
  resolve(specifier, context, next) {
    const isSource = context.parentURL?.endsWith(".ts") && specifier.startsWith(".") && specifier.endsWith(".js")
    return next(isSource ? specifier.replace(/\.js$/, ".ts") : specifier, context)
  },
})
