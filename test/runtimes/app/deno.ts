import { createApp } from "./app.ts"

const app = createApp(JSON.parse(Deno.env.get("RUNTIME_TEST") ?? ""))

Deno.serve({ hostname: "127.0.0.1", port: Number(Deno.env.get("PORT")) }, (request, info) =>
  app(request, { clientAddress: info.remoteAddr.hostname, bindings: info }),
)
