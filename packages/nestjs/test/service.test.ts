import { describe, expect, it } from "vitest"
import { AuthModule, AuthService } from "../src/index.js"
import { createApp, platforms, serve } from "./app.js"
import { right, testConfig } from "./config.js"

describe.each(platforms)("AuthService in $name", ({ createAdapter }) => {
  it("returns the session and the actions of a request", async () => {
    const app = await createApp(createAdapter(), {
      auth: AuthModule.forRoot(testConfig()),
      routes: [
        {
          path: "login",
          method: "POST",
          handle: ({ request }) =>
            app.get(AuthService).authOf(request).signIn({ providerId: "credentials", fields: right }),
        },
      ],
    })
    const response = await fetch(`${await serve(app)}/login`, { method: "POST" })
    expect(response.headers.getSetCookie().join()).toContain("authjs.session-token=")
  })
})
