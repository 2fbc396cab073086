import { overHttp } from "@latchkey/testkit"
import { takingForms, testFormActions } from "@latchkey/testkit/integration"
import { describe } from "vitest"
import { getSession, requireAuth, signIn, signOut, toNodeHandler, updateSession } from "../src/index.js"
import { serve } from "./serve.js"

describe("signIn, signOut and updateSession on node:http", () => {
  testFormActions(
    async (config, answer) => {
      const handler = toNodeHandler(config)
      const { origin } = await serve(async (req, res) => {
        if (req.url !== "/form") return await handler(req, res)
        const exchange = { req, res, config }
        if (req.headers.cookie?.includes("session-token")) await requireAuth(exchange)
        const { headers, body } = await answer(
          takingForms({
            getSession: () => getSession(req, config),
            signIn: (options) => signIn(exchange, options),
            signOut: (options) => signOut(exchange, options),
            updateSession: (data) => updateSession(exchange, data),
          }),
        )
        for (const line of headers.getSetCookie()) res.appendHeader("set-cookie", line)
        res.end(await new Response(body).text())
      })
      return { origin, handler: overHttp }
    },
    { needsOrigin: false },
  )
})
