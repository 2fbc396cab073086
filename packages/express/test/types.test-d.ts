import type { AppSession } from "@latchkey/core"
import { requireAuth } from "@latchkey/express"
import type { RequestHandler } from "express"
import { expectTypeOf } from "vitest"

const handler: RequestHandler = (_, res) => {
  expectTypeOf(res.locals.session).toEqualTypeOf<AppSession | null | undefined>()
  // @ts-expect-error: it may be missing
  res.send(res.locals.session.expires)
  res.locals["other"] = 1
}

export const handlers = [requireAuth({ providers: [] }), handler]
