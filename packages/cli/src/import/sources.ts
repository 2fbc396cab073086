import type { OpenSource } from "./records.js"

/** The sources by name. Each is loaded when it is used. */
export const sources: Readonly<Record<string, () => Promise<OpenSource>>> = {
  "better-auth": async () => (await import("./sources/better-auth.js")).openBetterAuth,
}
