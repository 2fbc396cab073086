import { memoryAdapter } from "@latchkey/testkit/adapter"
import { describe, expect, it } from "vitest"
import { actionSetup, mail } from "../../test/action-setup.js"

describe("GET /verify-request", () => {
  it("URL-15: hands provider and type to the host's page, and nothing else", async () => {
    const { act } = actionSetup({ pages: { verifyRequest: "/vr?x=1" } })
    const query = "next=https://evil.test&x=<script>&provider=a%26b&type=email"
    expect(await act(`/auth/verify-request?${query}`)).toEqual({ redirect: "/vr?x=1&provider=a%26b&type=email" })
    expect(await act("/auth/verify-request")).toEqual({ redirect: "/vr?x=1" })
  })

  it("shows a page, also for a provider that there is none of", async () => {
    const { act } = actionSetup({ providers: [mail], adapter: memoryAdapter() })
    for (const provider of ["mail", "nobody", "__proto__"]) {
      const { body, cookies } = await act(`/auth/verify-request?provider=${provider}&type=email`)
      expect([body?.kind, cookies]).toEqual(["html", undefined])
    }
  })

  it("says for how long the link works, where the provider has a lifetime of its own", async () => {
    const { act } = actionSetup({ providers: [mail, { ...mail, id: "quick", maxAge: 600 }], adapter: memoryAdapter() })
    const textFor = async (id: string) => {
      const { body } = await act(`/auth/verify-request?provider=${id}&type=email`)
      return body?.kind === "html" ? body.text : ""
    }
    expect(await textFor("quick")).toContain("10 minutes")
    for (const id of ["mail", "cred"]) expect(await textFor(id)).not.toMatch(/minutes|hours|NaN|undefined/)
  })
})
