import { describe, expect, it } from "vitest"
import { actionSetup, cred, oidc } from "../../test/action-setup.js"
import { noStore } from "./no-store.js"

describe("GET /providers", () => {
  it("PAGE-10: lists what a client may know, in the configured order, sets no cookie and is kept by nobody", async () => {
    const { act } = actionSetup({ providers: [{ ...cred, id: "zeta" }, oidc] })
    const reply = await act("/auth/providers")
    const url = (path: string) => `https://app.test/auth/${path}`
    const expected = {
      zeta: {
        id: "zeta",
        name: "Password",
        type: "credentials",
        signinUrl: url("signin/zeta"),
        callbackUrl: url("callback/zeta"),
      },
      oidc: {
        id: "oidc",
        name: "Identity",
        type: "oidc",
        signinUrl: url("signin/oidc"),
        callbackUrl: url("callback/oidc"),
      },
    }
    expect(reply).toStrictEqual({ headers: noStore, body: { kind: "json", value: expected } })
    expect(JSON.stringify(reply).indexOf("zeta")).toBeLessThan(JSON.stringify(reply).indexOf("oidc"))
    expect(JSON.stringify(reply)).not.toContain("secret")
  })

  it("lists nothing where nothing is configured", async () => {
    const reply = await actionSetup({ providers: [] }).act("/auth/providers")
    expect(reply.body).toEqual({ kind: "json", value: {} })
  })
})
