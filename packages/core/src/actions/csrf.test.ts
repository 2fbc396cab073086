import { describe, expect, it } from "vitest"
import { actionSetup } from "../../test/action-setup.js"
import { skipCSRFCheck } from "../contract/markers.js"

const caching = { "cache-control": "private, no-cache, no-store", expires: "0", pragma: "no-cache" }

describe("GET /csrf", () => {
  it("answers a token, the same one to the same browser, and sets its cookie once", async () => {
    const { act, browser } = actionSetup()
    const first = await act("/auth/csrf")
    expect(first).toMatchObject({
      body: { kind: "json", value: { csrfToken: expect.stringMatching(/^[0-9a-f]{64}$/) } },
      headers: caching,
    })
    expect(browser.names()).toEqual(["__Host-authjs.csrf-token"])
    expect(await act("/auth/csrf")).toEqual({ ...first, cookies: [] })
  })

  it("CSRF-15: answers 404 where the framework protects its forms, clears the cookie and warns", async () => {
    const { act, logger } = actionSetup({ skipCSRFCheck })
    const { status, body, cookies } = await act("/auth/csrf")
    expect([status, body]).toEqual([404, undefined])
    expect(cookies).toMatchObject([{ name: "__Host-authjs.csrf-token", value: "", options: { maxAge: 0 } }])
    expect(logger.warnings).toEqual(["csrf-disabled"])
  })

  it.each([true, "skip", {}, Symbol("skip"), 1])(
    "CSRF-15: is not switched off by %s in the marker's place",
    async (fake) => {
      const { act } = actionSetup({ skipCSRFCheck: fake as typeof skipCSRFCheck })
      expect((await act("/auth/csrf")).status).toBeUndefined()
    },
  )
})
