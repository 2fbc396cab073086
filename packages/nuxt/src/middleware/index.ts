// Imported as `@latchkey/nuxt/middleware`, by the module.
// biome-ignore lint/style/noDefaultExport: Nitro expects one
export { handler as default } from "../instance.js"
