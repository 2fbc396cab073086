import { fixedClock } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"

describe("the profile", () => {
  it("is converted to a user with the standard claims and a lowercase email", async () => {
    const seen: unknown[] = []
    const host = openHost({
      callbacks: {
        signIn(params) {
          seen.push(params)
          return true
        },
      },
    })
    host.idp.signInAs({
      sub: "7",
      preferred_username: "grace",
      email: "Grace@Example.COM",
      picture: "https://idp.test/g.png",
    })
    await host.browser.signIn("oidc")
    expect(seen).toMatchObject([
      {
        user: {
          name: "grace",
          email: "grace@example.com",
          image: "https://idp.test/g.png",
          id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        },
        account: { provider: "oidc", type: "oidc", providerAccountId: "7" },
        profile: { sub: "7", preferred_username: "grace" },
      },
    ])
  })

  it("OAU-41: comes with an account with lowercase token type and an expiry in seconds", async () => {
    using clock = fixedClock()
    const accounts: unknown[] = []
    const host = openHost({
      callbacks: {
        signIn({ account }) {
          accounts.push(account)
          return true
        },
      },
    })
    host.idp.faults.turnOn("token-type-in-upper-case")
    await host.browser.signIn("oidc")
    expect(accounts).toMatchObject([{ token_type: "bearer", expires_in: 3600, expires_at: clock.now() / 1000 + 3600 }])
  })

  it("has no expires_at if the provider sends no lifetime", async () => {
    const accounts: object[] = []
    const host = openHost({
      callbacks: {
        signIn({ account }) {
          accounts.push(account ?? {})
          return true
        },
      },
    })
    host.idp.faults.turnOn({ tokens: ({ expires_in: _, ...tokens }) => tokens })
    await host.browser.signIn("oidc")
    expect(accounts[0]).not.toHaveProperty("expires_at")
  })
})
