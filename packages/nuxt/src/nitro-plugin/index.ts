// Imported as `@latchkey/nuxt/nitro-plugin`, by the module.
// biome-ignore lint/style/noDefaultExport: Nitro expects one
export { type NitroApp, plugin as default } from "../instance.js"
