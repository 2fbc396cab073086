import type { OpenSource } from "./records.js"

/** The sources by name. Each is loaded when it is used. */
export const sources: Readonly<Record<string, () => Promise<OpenSource>>> = {
  json: async () => (await import("./sources/json.js")).openJson,
  "better-auth": async () => (await import("./sources/better-auth.js")).openBetterAuth,
  "next-auth": async () => (await import("./sources/next-auth.js")).openNextAuth,
  lucia: async () => (await import("./sources/lucia.js")).openLucia,
  supabase: async () => (await import("./sources/supabase.js")).openSupabase,
  clerk: async () => (await import("./sources/clerk.js")).openClerk,
  firebase: async () => (await import("./sources/firebase.js")).openFirebase,
  auth0: async () => (await import("./sources/auth0.js")).openAuth0,
}
