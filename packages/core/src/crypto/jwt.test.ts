import fc from "fast-check"
import { describe, expect, it, vi } from "vitest"
import { anyCharacter } from "../../test/setup/any-character.js"
import { InvalidConfiguration, MissingSecret } from "../errors/errors.js"
import { createJwe, createTokens, decode, encode, InvalidToken, parseClaims } from "./jwt.js"
import { primitives as node } from "./node.js"
import { primitives as web } from "./web.js"

describe("parseClaims", () => {
  it.each(["[]", "[1]", "null", '"x"', "1", "", "{"])("refuses %o", (text) => {
    expect(parseClaims(text)).toBeNull()
  })

  it("refuses 501 levels and accepts 500, in arrays and in objects", () => {
    const nest = (levels: number) => `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`
    const nestObjects = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`
    for (const make of [nest, nestObjects]) {
      expect(parseClaims(make(501))).toBeNull()
      expect(parseClaims(make(500))).toHaveProperty("a")
    }
  })
})

// Web Crypto uses a thread for each call, which is slow on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

const salt = "authjs.session-token"
const secret = "correct horse battery staple, twice over"
const now = 1_750_000_000
const clock = () => now * 1000 + 999

describe.each([
  ["node:crypto", node],
  ["Web Crypto", web],
])("session tokens on %s", (_, platform) => {
  const tokens = createTokens(platform)
  const jwe = createJwe(platform)

  /** Async, so that a synchronous error and a rejection look the same. */
  async function read(token: string, at: () => number = clock) {
    return tokens.decode({ token, secret, salt }, at)
  }

  async function readText(plaintext: string) {
    return read(await jwe.encrypt(plaintext, { secrets: [secret], salt }))
  }

  async function readClaims(claims: object) {
    return readText(JSON.stringify(claims))
  }

  it("are valid until 15 seconds after their expiry", async () => {
    const token = await tokens.encode({ token: {}, secret, salt, maxAge: 60 }, { clock })
    await expect(read(token, () => (now + 60 + 15) * 1000)).rejects.toThrow(InvalidToken)
    await expect(read(token, () => (now + 60 + 14) * 1000)).resolves.toMatchObject({ exp: now + 60 })
  })

  it("need a number as their expiry", async () => {
    for (const claims of [{}, { exp: null }, { exp: String(now + 60) }, { exp: true }]) {
      await expect(readClaims(claims)).rejects.toThrow(InvalidToken)
    }
    await expect(readText('{"exp":1e999}')).rejects.toThrow(InvalidToken)
  })

  it("are refused before `nbf`, with a tolerance of 15 seconds", async () => {
    const exp = now + 3600
    await expect(readClaims({ exp, nbf: now + 600 })).rejects.toThrow(InvalidToken)
    await expect(readClaims({ exp, nbf: now + 16 })).rejects.toThrow(InvalidToken)
    await expect(readClaims({ exp, nbf: "0" })).rejects.toThrow(InvalidToken)
    await expect(readClaims({ exp, iat: "0" })).rejects.toThrow(InvalidToken)
    await expect(readClaims({ exp, nbf: now + 15 })).resolves.toMatchObject({ nbf: now + 15 })
  })

  it.each(["null", "[]", '["a"]', '"x"', "1", "true", "", "{", "undefined"])(
    "hold a JSON object, not %o",
    async (text) => {
      await expect(readText(text)).rejects.toThrow(InvalidToken)
    },
  )

  it("JWT-15: are refused if they are too deep or too long", async () => {
    const deep = `{"exp":${now + 60},"a":${"[".repeat(10_000)}${"]".repeat(10_000)}}`
    await expect(readText(deep)).rejects.toThrow(InvalidToken)
    await expect(readClaims({ exp: now + 60, a: "x".repeat(1024 * 1024) })).rejects.toThrow(InvalidToken)
  })

  it("cannot pollute a prototype", async () => {
    const exp = now + 60
    const keys = ['"__proto__"', '"\\u005f_proto__"', '"\\u005F\\u005Fproto\\u005F\\u005f"']
    for (const key of keys) {
      const claims = await readText(
        `{"exp":${exp},${key}:{"admin":true},"a":{${key}:{"admin":true}},"constructor":{"prototype":{}}}`,
      )
      expect(Object.keys(claims ?? {})).toEqual(["exp", "a", "constructor"])
      expect(Object.assign({}, claims)).not.toHaveProperty("admin")
      expect(Object.assign({}, claims?.["a"])).not.toHaveProperty("admin")
    }
    expect({}).not.toHaveProperty("admin")
  })

  it("fail with the same message for any reason, and never quote the token", async () => {
    const token = await tokens.encode({ token: { sub: "u-v" }, secret, salt, maxAge: -60 }, { clock })
    const attempts = [
      token,
      token.slice(0, -1),
      "x",
      `${token}.x`,
      await jwe.encrypt("null", { secrets: [secret], salt }),
    ]
    const failures = await Promise.all(attempts.map((attempt) => read(attempt).catch((error: unknown) => error)))
    expect(new Set(failures.map(String)).size).toBe(1)
    for (const failure of failures) expect(failure).toBeInstanceOf(InvalidToken)
  })

  it("are bound to their salt and secret", async () => {
    const token = await tokens.encode({ token: {}, secret, salt }, { clock })
    await expect((async () => tokens.decode({ token, secret, salt: "authjs.state" }, clock))()).rejects.toThrow(
      InvalidToken,
    )
    await expect((async () => tokens.decode({ token, secret: "another", salt }, clock))()).rejects.toThrow(InvalidToken)
  })

  it("have a different key for every salt and secret", async () => {
    const salts = [
      "authjs.session-token",
      "__Secure-authjs.session-token",
      "authjs.state",
      "authjs.nonce",
      "encodedState",
    ]
    const made = salts.flatMap((each) => [secret, "another"].map((key) => tokens.encode({ secret: key, salt: each })))
    const headers = (await Promise.all(made)).map((token) => token.split(".")[0])
    expect(new Set(headers).size).toBe(10)
  })

  it("keep their claims, with new iat, exp and jti", async () => {
    const claims = { sub: "u-v", iat: 1, exp: 2, jti: "old" }
    const read = await tokens.decode(
      { token: await tokens.encode({ token: claims, secret, salt }, { clock }), secret, salt },
      clock,
    )
    expect(read).toEqual({
      sub: "u-v",
      iat: now,
      exp: now + 30 * 24 * 60 * 60,
      jti: expect.stringMatching(/^[\da-f-]{36}$/),
    })
    expect(claims).toEqual({ sub: "u-v", iat: 1, exp: 2, jti: "old" })
  })

  it("use the jti of the caller", async () => {
    const token = await tokens.encode({ token: { jti: "old" }, secret, salt }, { clock, jti: "kept" })
    expect(await tokens.decode({ token, secret, salt }, clock)).toMatchObject({ jti: "kept" })
  })

  it("can hold any JSON object", async () => {
    const claims = fc.dictionary(fc.string({ unit: anyCharacter }), fc.jsonValue()).map((object) => ({ ...object }))
    await fc.assert(
      fc.asyncProperty(claims, async (claims) => {
        fc.pre(!JSON.stringify(claims).includes("__proto__") && !("nbf" in claims))
        const token = await tokens.encode({ token: claims, secret, salt }, { clock, jti: "1" })
        const read = await tokens.decode({ token, secret, salt }, clock)
        expect(read).toEqual({ ...JSON.parse(JSON.stringify(claims)), iat: now, exp: now + 2_592_000, jti: "1" })
      }),
    )
  })

  it("are decrypted with every secret of the list and encrypted with the first", async () => {
    const old = await tokens.encode({ token: { sub: "u-v" }, secret: "old", salt }, { clock })
    expect(await tokens.decode({ token: old, secret: ["new", "old"], salt }, clock)).toMatchObject({ sub: "u-v" })
    const renewed = await tokens.encode({ token: { sub: "u-v" }, secret: ["new", "old"], salt }, { clock })
    expect(await tokens.decode({ token: renewed, secret: "new", salt }, clock)).toMatchObject({ sub: "u-v" })
    expect(await tokens.open({ token: old, secret: ["new"], salt }, clock)).toBeNull()
  })

  it("need a finite lifetime and a length that can be decoded", async () => {
    await expect((async () => tokens.encode({ secret, salt, maxAge: Number.NaN }))()).rejects.toThrow(RangeError)
    await expect((async () => tokens.encode({ secret, salt, maxAge: Number.POSITIVE_INFINITY }))()).rejects.toThrow(
      RangeError,
    )
    await expect((async () => tokens.encode({ token: { a: "x".repeat(100_000) }, secret, salt }))()).rejects.toThrow(
      RangeError,
    )
  })
})

describe("encode and decode", () => {
  it("reject without a usable secret", async () => {
    await expect(encode({ secret: "", salt })).rejects.toThrow(MissingSecret)
    await expect(encode({ secret: [], salt })).rejects.toThrow(MissingSecret)
    await expect(decode({ token: "x", secret: ["a", ""], salt })).rejects.toThrow(InvalidConfiguration)
  })

  it("reject an invalid token", async () => {
    await expect(decode({ token: "x", secret, salt })).rejects.toThrow("The token is invalid or has expired.")
    await expect(decode({ token: await encode({ secret, salt, maxAge: -16 }), secret, salt })).rejects.toThrow(
      InvalidToken,
    )
  })

  it("return null without a token", async () => {
    expect(await decode({ secret, salt })).toBeNull()
    expect(await decode({ token: "", secret, salt })).toBeNull()
  })

  it("decode what they encode", async () => {
    const token = await encode({ token: { sub: "u-v", name: null }, secret, salt })
    expect(await decode({ token, secret, salt })).toMatchObject({ sub: "u-v", name: null })
  })
})

it("is synchronous on Node", () => {
  const tokens = createTokens(node)
  const token = tokens.encode({ token: { sub: "u-v" }, secret, salt })
  expect(token).toBeTypeOf("string")
  expect(tokens.decode({ token: String(token), secret, salt })).toMatchObject({ sub: "u-v" })
})
