// Imported as `@latchkey/nuxt`, in `modules`. Nuxt forbids the import in an app.
// biome-ignore lint/style/noDefaultExport: Nuxt expects one
export { type LatchkeyOptions, latchkey as default, type NitroConfig, type Nuxt } from "./module.js"
