import type { User } from "./user.js"

/** What a client learns about a session. `expires` is an ISO 8601 instant. */
export interface DefaultSession {
  user?: User
  expires: string
}

/** Extend by module augmentation: `declare module "@latchkey/core" { interface Session { role: string } }`. */
export interface Session extends DefaultSession {}
