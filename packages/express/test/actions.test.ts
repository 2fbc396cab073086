import { overHttp } from "@latchkey/testkit"
import { takingForms, testFormActions } from "@latchkey/testkit/integration"
import { describe } from "vitest"
import { currentSession, ExpressAuth, getSession, signIn, signOut, updateSession } from "../src/index.js"
import { expresses } from "./expresses.js"
import { serve } from "./serve.js"

describe.each(expresses)("signIn, signOut and updateSession in $name", ({ express }) => {
  testFormActions(
    async (config, answer) => {
      const app = express().use("/auth", ExpressAuth(config))
      app.all("/form", currentSession(config), (req, res, next) => {
        const exchange = { req, res, config }
        const auth = takingForms({
          getSession: () => getSession(req, config),
          signIn: (options) => signIn(exchange, options),
          signOut: (options) => signOut(exchange, options),
          updateSession: (data) => updateSession(exchange, data),
        })
        answer(auth).then(async ({ headers, body }) => {
          for (const line of headers.getSetCookie()) res.append("set-cookie", line)
          res.send(await new Response(body).text())
        }, next)
      })
      return { origin: await serve(app), handler: overHttp }
    },
    { needsOrigin: false },
  )
})
