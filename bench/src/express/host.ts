import type { Express } from "express"

/** An Express app with the session of a target below `/auth/session`. */
export interface ExpressHost {
  /** Mounts the target, and gives the cookie of somebody who is signed in. */
  mount(app: Express): Promise<string>
}

export type ExpressTargetId = "latchkey" | "auth-express" | "express-and-limit" | "express-alone"
