import { describe, expect, it } from "vitest"
import { failureOf } from "../../test/failure-of.js"
import type { JWTDecodeParams, JWTEncodeParams } from "../contract/jwt.js"
import { encode } from "../crypto/token.js"
import { createSessionTokens, type SessionTokenOptions } from "./session-tokens.js"

const secrets = ["a secret of at least thirty-two characters"]
const salt = "__Secure-authjs.session-token"

function sessionTokens(changes: Partial<SessionTokenOptions> = {}) {
  return createSessionTokens({ secrets, salt, maxAge: 60, encode: undefined, decode: undefined, ...changes })
}

describe("openFirst", () => {
  it("fails when no text is a token, with nothing of the texts in the error", async () => {
    const foreign = await encode({ token: { sub: "x" }, secret: secrets, salt: "another" })
    const { error } = await failureOf(sessionTokens().openFirst(["junk-1", foreign, "junk-2"]))
    expect(error.message).not.toMatch(/junk/)
  })

  it("fails without any text", async () => {
    expect((await failureOf(sessionTokens().openFirst([]))).error.type).toBe("JWTSessionError")
  })

  it("fails when the host's decode answers null", async () => {
    const tokens = sessionTokens({ decode: async () => null })
    expect((await failureOf(tokens.openFirst(["a", "b"]))).error.type).toBe("JWTSessionError")
  })

  it("opens the first text that is a token, and asks no further", async () => {
    const asked: unknown[] = []
    const decode = async ({ token }: JWTDecodeParams) => {
      asked.push(token)
      return token === "bad" ? Promise.reject(new Error("no")) : { sub: token ?? "" }
    }
    expect(await sessionTokens({ decode }).openFirst(["bad", "b", "c"])).toEqual({ sub: "b" })
    expect(asked).toEqual(["bad", "b"])
  })

  it("opens what seal sealed", async () => {
    const tokens = sessionTokens()
    expect(await tokens.openFirst(["junk", await tokens.seal({ sub: "vera" })])).toMatchObject({ sub: "vera" })
  })
})

describe("the host's own functions", () => {
  it("are given the claims, the secrets, the cookie's name and the lifetime", async () => {
    const seen: (JWTEncodeParams | JWTDecodeParams)[] = []
    const tokens = sessionTokens({
      encode: (params) => {
        seen.push(params)
        return "sealed"
      },
      decode: (params) => {
        seen.push(params)
        return { sub: "vera" }
      },
    })
    expect(await tokens.seal({ sub: "vera" })).toBe("sealed")
    await tokens.openFirst(["sealed"])
    expect(seen).toStrictEqual([
      { token: { sub: "vera" }, secret: secrets, salt, maxAge: 60 },
      { token: "sealed", secret: secrets, salt },
    ])
  })
})
