// Where the integrations mount the service by default. Their clients expect it there, unless the app sets `basePath`. One
// constant for each, so that a page gets only its own.

/** Of servers that mount the service where the app says. */
export const clientBasePath = "/auth"
/** Of `@latchkey/astro`, below Astro's `base`. */
export const astroBasePath = "/api/auth"
/** Of `@latchkey/nuxt`, below Nuxt's `app.baseURL`. */
export const nuxtBasePath = "/api/auth"
/** Of `@latchkey/next`, `@latchkey/react-router` and `@latchkey/tanstack-start`, which `@latchkey/react` is made for. */
export const reactBasePath = "/api/auth"
/** Of `@latchkey/solid-start`. */
export const solidStartBasePath = "/api/auth"
/** Of `@latchkey/sveltekit`, below the app's `paths.base`. */
export const sveltekitBasePath = "/auth"
