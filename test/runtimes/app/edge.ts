// Runs in @edge-runtime/vm, which is what Next's middleware runs in. The server passes the address in a header.
import { type App, createApp } from "./app.ts"

declare const RUNTIME_TEST: string

let app: App | undefined

addEventListener("fetch", (given) => {
  const event = given as FetchEvent // as: the type library is that of browsers
  app ??= createApp(JSON.parse(RUNTIME_TEST), "x-socket-address")
  const clientAddress = event.request.headers.get("x-socket-address") ?? undefined
  event.respondWith(app(event.request, { clientAddress }))
})
