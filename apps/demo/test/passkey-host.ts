import Passkey from "@latchkey/core/providers/passkey"
import WebAuthn from "@latchkey/core/providers/webauthn"
import { ExpressAuth, type ExpressAuthConfig } from "@latchkey/express"
import { sqlite } from "@latchkey/kysely-adapter/sqlite"
import express from "express"
import { listenOnLoopback } from "../src/web/loopback-server.js"

/** An app with nothing but passkeys: one provider whose passkeys say whose they are, and one where that is typed. */
export interface PasskeyHost {
  readonly origin: string
  close(): Promise<void>
}

export async function openPasskeyHost(host: Pick<ExpressAuthConfig, "session">): Promise<PasskeyHost> {
  const server = await listenOnLoopback(0)
  const adapter = sqlite(":memory:")
  const app = express()
  const config: ExpressAuthConfig = {
    secret: "a secret of at least thirty-two characters",
    trustHost: true,
    adapter,
    experimental: { enableWebAuthn: true },
    providers: [Passkey({ name: "a passkey" }), WebAuthn({ name: "a key", enableConditionalUI: false })],
    ...host,
  }
  app.use("/auth", ExpressAuth(config))
  app.get("/", (_, response) => {
    response.type("html").send("<!doctype html><title>App</title><h1>App</h1>")
  })
  server.serve(app)
  return {
    origin: server.origin,
    close: async () => {
      await server.close()
      adapter.close()
    },
  }
}
