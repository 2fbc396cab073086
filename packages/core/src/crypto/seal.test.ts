import { describe, expect, it } from "vitest"
import { InvalidConfiguration, MissingSecret } from "../errors/errors.js"
import { decode } from "./jwt.js"
import { createSealer } from "./seal.js"

const purposes = ["authjs.session-token", "authjs.state", "authjs.nonce", "authjs.pkce.code_verifier", "encodedState"]
const start = Date.UTC(2026, 0, 1)

describe("createSealer", () => {
  it("throws without a valid secret", () => {
    expect(() => createSealer([])).toThrow(MissingSecret)
    expect(() => createSealer(["a", ""])).toThrow(InvalidConfiguration)
    expect(() => createSealer(Array.from({ length: 11 }, (_, n) => `secret ${n}`))).toThrow(InvalidConfiguration)
  })

  it("opens a value for its own purpose only", async () => {
    const { seal, open } = createSealer(["secret"])
    for (const purpose of purposes) {
      const sealed = await seal(purpose, { value: "v" }, 900)
      const opened = await Promise.all(purposes.map((other) => open(other, sealed)))
      expect(opened.map((claims) => claims?.["value"])).toEqual(
        purposes.map((other) => (other === purpose ? "v" : undefined)),
      )
    }
  })

  it("returns null for any other text", async () => {
    const { open } = createSealer(["secret"])
    const foreign = await createSealer(["another secret"]).seal("state", { value: "v" }, 900)
    for (const text of ["", "x", "a.b.c.d.e", foreign, "x".repeat(1_000_000)])
      expect(await open("state", text)).toBeNull()
  })

  it("returns null after the expiry", async () => {
    const sealed = await createSealer(["secret"], () => start).seal("state", { value: "v" }, 900)
    expect(await createSealer(["secret"], () => start + 915_000).open("state", sealed)).toBeNull()
    expect(await createSealer(["secret"], () => start + 914_000).open("state", sealed)).toMatchObject({ value: "v" })
  })

  it("opens a value that an older secret sealed", async () => {
    const sealed = await createSealer(["old"]).seal("state", { value: "v" }, 900)
    expect(await createSealer(["new", "old"]).open("state", sealed)).toMatchObject({ value: "v" })
  })

  it("seals in the format of session tokens, with the purpose as the salt", async () => {
    const token = await createSealer(["secret"]).seal("authjs.state", { value: "v", provider: "p" }, 900)
    expect(await decode({ token, secret: "secret", salt: "authjs.state" })).toMatchObject({ value: "v", provider: "p" })
  })
})
