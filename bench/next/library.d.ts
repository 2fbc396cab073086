/** One of the files in `libraries`. `next.config.ts` chooses it. */
declare module "@library" {
  import type { NextRequest } from "next/server"

  type RouteHandler = (request: NextRequest) => Promise<Response>

  export const GET: RouteHandler
  export const POST: RouteHandler
  /** Lets signed-in users see `/private`. */
  export const proxy: (...given: never[]) => unknown
}
