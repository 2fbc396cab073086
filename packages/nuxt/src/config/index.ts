// Imported as `@latchkey/nuxt/config`.
export { defineAuthConfig, type NuxtAuthConfig, type NuxtAuthSource } from "../event.js"
export { createNuxtAuth, type H3Response, type NuxtAuth, type NuxtAuthOptions } from "../handler.js"
