export default defineNuxtConfig({
  compatibilityDate: "2026-11-01",
  telemetry: false,
  devtools: { enabled: false },
  modules: ["@latchkey/nuxt"],
  css: ["~/assets/style.css"],
  app: { head: { htmlAttrs: { lang: "en" }, link: [{ rel: "icon", href: "data:," }] } },
  // For visitors without a session. For others, whose session is part of the page, it becomes private.
  routeRules: { "/about": { headers: { "cache-control": "public, s-maxage=600" } } },
})
