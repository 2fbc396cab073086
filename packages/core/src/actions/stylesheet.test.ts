import { describe, expect, it } from "vitest"
import { actionSetup, oidc } from "../../test/action-setup.js"
import { createStylesheet } from "./create-stylesheet.js"

describe("GET /style.css", () => {
  it("may be kept for good under its version, and only there", async () => {
    const { act, needs } = actionSetup()
    const { text, version } = await needs.stylesheet()
    const body = { kind: "css", text }
    const forGood = { "cache-control": "public, max-age=31536000, immutable" }
    expect(await act(`/auth/style.css?v=${version}`)).toEqual({ body, headers: forGood })
    for (const query of ["", "?v=", "?v=other"]) {
      expect(await act(`/auth/style.css${query}`)).toEqual({ body, headers: { "cache-control": "no-cache" } })
    }
  })

  it("is what the pages link to", async () => {
    const { act, needs } = actionSetup()
    const { body } = await act("/auth/signin")
    const { version } = await needs.stylesheet()
    expect(body?.kind === "html" && body.text).toContain(`https://app.test/auth/style.css?v=${version}`)
  })
})

describe("createStylesheet", () => {
  it("has another version for another look, and the same for the same", async () => {
    const plain = await createStylesheet({}, [])
    expect(plain.version).toMatch(/^[0-9a-f]{12}$/)
    expect((await createStylesheet({}, [])).version).toBe(plain.version)
    expect((await createStylesheet({ brandColor: "#123456" }, [])).version).not.toBe(plain.version)
  })

  it("has the colours of providers, whatever a host wrote there", async () => {
    const { needs } = actionSetup({ providers: [{ ...oidc, style: { brandColor: "#135790" } }] })
    expect((await needs.stylesheet()).text).toContain("#135790")
    for (const style of [undefined, null, 7, "red", { brandColor: 7 }, { brandColor: "};a{b:url(//evil.test)}" }]) {
      const provider = { id: "odd", name: "Odd", type: "email", sendVerificationRequest: () => undefined, style }
      const { text } = await createStylesheet({}, [provider as never])
      expect(text).not.toContain("evil.test")
    }
  })
})
