import type { ExpressHost, ExpressTargetId } from "./host.ts"

/** Loaded when asked for, so that a server holds no other target. */
export const hosts: Readonly<Record<ExpressTargetId, () => Promise<ExpressHost>>> = {
  latchkey: async () => (await import("./latchkey-host.ts")).latchkeyHost,
  "auth-express": async () => (await import("./auth-express-host.ts")).authExpressHost,
  "express-and-limit": async () => (await import("./limit-host.ts")).limitHost,
  "express-alone": async () => (await import("./limit-host.ts")).aloneHost,
}
