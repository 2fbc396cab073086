import { testOrigin } from "@latchkey/testkit/integration"
import { describe, expect, it } from "vitest"
import { ElysiaAuth } from "../src/index.js"
import { right, testConfig } from "./config.js"
import { createApp, serve } from "./serve.js"

const forwarded = { "x-forwarded-proto": "https", "x-forwarded-host": "public.test:8443" }

describe("ElysiaAuth", () => {
  testOrigin({ start: (config, trustProxy) => serve(createApp().use(ElysiaAuth(config, { trustProxy }))) })

  it("sets secure cookies for the app's own session behind a trusted proxy", async () => {
    const app = createApp()
      .use(ElysiaAuth(testConfig(), { trustProxy: true }))
      .post("/login", async ({ auth }) => auth.signIn({ providerId: "credentials", fields: right }))
    const headers = { ...forwarded, origin: "https://public.test:8443" }
    const response = await fetch(`${await serve(app)}/login`, { method: "POST", headers })
    expect(response.headers.getSetCookie().join()).toMatch(/__Secure-authjs\.session-token=.*; Secure/)
  })
})
