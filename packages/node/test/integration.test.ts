import type { IncomingMessage, ServerResponse } from "node:http"
import type { AuthConfig } from "@latchkey/core"
import { listen, publicCaching, testIntegration } from "@latchkey/testkit/integration"
import { auth, toNodeHandler, toWebRequest } from "../src/index.js"

/** Handles a form of the app. */
async function logIn(req: IncomingMessage, res: ServerResponse, config: AuthConfig): Promise<void> {
  const form = Object.fromEntries(new URLSearchParams(await toWebRequest(req).text()))
  const { providerId, redirectTo, ...fields } = form
  try {
    const location = await auth(req, res, config).signIn({ providerId, redirectTo, fields })
    res.writeHead(303, { location }).end()
  } catch (error) {
    res.writeHead(403).end(String(error))
  }
}

testIntegration({
  name: "node:http",
  cachedPage: "/cached",
  signInForm: "/login",
  warnsAtStart: true,
  proxySetting: "toNodeHandler(config, { trustProxy: true })",
  start(config) {
    const handler = toNodeHandler(config)
    return listen(async (req, res) => {
      if (req.url === "/login") return await logIn(req, res, config)
      if (req.url !== "/cached") return await handler(req, res)
      if (req.headers.cookie !== undefined) await auth(req, res, config).requireAuth()
      res.writeHead(200, "OK", publicCaching).end("the app")
    })
  },
})

testIntegration({
  isOtherMount: true,
  name: "node:http with headers in a list",
  cachedPage: "/cached",
  start(config) {
    const handler = toNodeHandler(config)
    return listen(async (req, res) => {
      if (req.url !== "/cached") return await handler(req, res)
      if (req.headers.cookie !== undefined) await auth(req, res, config).requireAuth()
      res.writeHead(200, Object.entries(publicCaching).flat()).end("the app")
    })
  },
})

testIntegration({
  isOtherMount: true,
  name: "node:http below another path",
  basePath: "/api/auth",
  start: (config) => listen(toNodeHandler({ ...config, basePath: "/api/auth" })),
})
