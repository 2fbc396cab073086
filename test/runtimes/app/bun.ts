import { createApp } from "./app.ts"

const app = createApp(JSON.parse(process.env["RUNTIME_TEST"] ?? ""))

Bun.serve({
  hostname: "127.0.0.1",
  port: Number(process.env["PORT"]),
  fetch: (request, server) => app(request, { clientAddress: server.requestIP(request)?.address, bindings: server }),
})
