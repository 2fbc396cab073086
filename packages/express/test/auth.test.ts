import { overHttp } from "@latchkey/testkit"
import { testUserAuth } from "@latchkey/testkit/integration"
import type { NextFunction, Request, Response } from "express"
import { describe } from "vitest"
import { auth, ExpressAuth } from "../src/index.js"
import { expresses } from "./expresses.js"
import { serve } from "./serve.js"

describe.each(expresses)("auth in $name", ({ express }) => {
  testUserAuth(
    async (config, route) => {
      const app = express().use("/auth", ExpressAuth(config))
      app.all("/form", (req: Request, res: Response, next: NextFunction) => {
        route(auth(req, res, config)).then(async (answer) => {
          if (!answer) return
          for (const line of answer.headers.getSetCookie()) res.append("set-cookie", line)
          res.send(await answer.text())
        }, next)
      })
      return { origin: await serve(app), handler: overHttp }
    },
    { needsOrigin: false },
  )
})
