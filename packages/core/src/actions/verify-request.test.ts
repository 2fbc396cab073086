import { memoryAdapter } from "@latchkey/testkit/adapter"
import { describe, expect, it } from "vitest"
import { actionBench, mail } from "../../test/action-bench.js"

describe("GET /verify-request", () => {
  it("URL-15: hands provider and type to the host's page, and nothing else", async () => {
    const { act } = actionBench({ pages: { verifyRequest: "/vr?x=1" } })
    const query = "next=https://evil.test&x=<script>&provider=a%26b&type=email"
    expect(await act(`/auth/verify-request?${query}`)).toEqual({ redirect: "/vr?x=1&provider=a%26b&type=email" })
    expect(await act("/auth/verify-request")).toEqual({ redirect: "/vr?x=1" })
  })

  it("shows a page, also for a provider that there is none of", async () => {
    const { act } = actionBench({ providers: [mail], adapter: memoryAdapter() })
    for (const provider of ["mail", "nobody", "__proto__"]) {
      const { body, cookies } = await act(`/auth/verify-request?provider=${provider}&type=email`)
      expect([body?.kind, cookies]).toEqual(["html", undefined])
    }
  })
})
