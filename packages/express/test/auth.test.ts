import { overHttp } from "@latchkey/testkit"
import { testUserAuth } from "@latchkey/testkit/integration"
import type { NextFunction, Request, Response } from "express"
import { describe, expect, it } from "vitest"
import { auth, ExpressAuth } from "../src/index.js"
import { testConfig } from "./config.js"
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

  const wrongPassword = { providerId: "credentials", fields: { password: "wrong" } }

  it.each([
    ["a wrong password", wrongPassword, "", 401],
    ["a form of another site", wrongPassword, "https://evil.test", 403],
    ["an address that is none", { providerId: "email", fields: { email: "ada" } }, "", 400],
    ["a code that nobody asked for", { providerId: "email", fields: { code: "12345678" } }, "", 400],
  ])("answers %s with a status of its own if the app does not catch the error", async (_, form, foreign, status) => {
    const config = testConfig()
    // Express logs errors elsewhere.
    const app = express().set("env", "test")
    app.post("/login", (req: Request, res: Response, next: NextFunction) => {
      auth(req, res, config).signIn(form).catch(next)
    })
    const origin = await serve(app)
    expect((await fetch(`${origin}/login`, { method: "POST", headers: { origin: foreign || origin } })).status).toBe(
      status,
    )
  })
})
