import { listen, publicCaching, testIntegration } from "@latchkey/testkit/integration"
import { requireAuth, toNodeHandler } from "../src/index.js"

testIntegration({
  name: "node:http",
  cachedPage: "/cached",
  warnsAtStart: true,
  proxySetting: "toNodeHandler(config, { trustProxy: true })",
  start(config) {
    const handler = toNodeHandler(config)
    return listen(async (req, res) => {
      if (req.url !== "/cached") return await handler(req, res)
      if (req.headers.cookie !== undefined) await requireAuth({ req, res, config })
      res.writeHead(200, "OK", publicCaching).end("the app")
    })
  },
})

testIntegration({
  name: "node:http with headers in a list",
  cachedPage: "/cached",
  start(config) {
    const handler = toNodeHandler(config)
    return listen(async (req, res) => {
      if (req.url !== "/cached") return await handler(req, res)
      if (req.headers.cookie !== undefined) await requireAuth({ req, res, config })
      res.writeHead(200, Object.entries(publicCaching).flat()).end("the app")
    })
  },
})

testIntegration({
  name: "node:http below another path",
  basePath: "/api/auth",
  start: (config) => listen(toNodeHandler({ ...config, basePath: "/api/auth" })),
})
