import fc from "fast-check"
import { base64url, CompactEncrypt, calculateJwkThumbprint, compactDecrypt } from "jose"
import { describe, expect, it, vi } from "vitest"
import { anyCharacter } from "../../test/setup/any-character.js"
import type { Primitives } from "./backend.js"
import { createJwe, maxTokenLength, type TokenKeys } from "./jwt.js"
import { primitives as node } from "./node.js"
import { primitives as web } from "./web.js"

// Web Crypto uses a thread for each call, which is slow on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

const salt = "__Secure-authjs.session-token"
const secret = "c0ffee".repeat(8)
const keys: TokenKeys = { secrets: [secret], salt }
const text = JSON.stringify({ sub: "u-v", name: "Zoë 🦊" })
const encoder = new TextEncoder()

/** The key of the contract, derived independently of the tested code. */
async function deriveKey(length: 32 | 64, { secrets, salt }: TokenKeys): Promise<Uint8Array<ArrayBuffer>> {
  const input = await crypto.subtle.importKey("raw", encoder.encode(secrets[0]), "HKDF", false, ["deriveBits"])
  const info = encoder.encode(`Auth.js Generated Encryption Key (${salt})`)
  const algorithm = { name: "HKDF", hash: "SHA-256", salt: encoder.encode(salt), info }
  return new Uint8Array(await crypto.subtle.deriveBits(algorithm, input, length * 8))
}

function toKid(key: Uint8Array, digest: "sha256" | "sha512"): Promise<string> {
  return calculateJwkThumbprint({ kty: "oct", k: base64url.encode(key) }, digest)
}

type Header = Readonly<Record<string, unknown>>

/** A token that jose creates, by default with our header. */
async function joseEncrypt(plaintext: string, header: Header = {}, from: TokenKeys = keys): Promise<string> {
  const key = await deriveKey(header["enc"] === "A256GCM" ? 32 : 64, from)
  return new CompactEncrypt(encoder.encode(plaintext))
    .setProtectedHeader({ alg: "dir", enc: "A256CBC-HS512", ...header } as { alg: string; enc: string }) // Invalid values on purpose.
    .encrypt(key)
}

async function joseDecrypt(token: string, from: TokenKeys = keys): Promise<string> {
  const { plaintext } = await compactDecrypt(token, await deriveKey(64, from))
  return new TextDecoder().decode(plaintext)
}

/** An authentic token with any header, encrypted by hand, because jose would refuse it. */
async function forge(platform: Primitives, header: unknown): Promise<string> {
  const cipher = await platform.createCbcHmacCipher(await deriveKey(64, keys))
  const encoded = base64url.encode(typeof header === "string" ? header : JSON.stringify(header))
  const bits = new Uint8Array(8)
  new DataView(bits.buffer).setUint32(4, encoded.length * 8)
  return cipher.seal(text, { text: encoded, bytes: encoder.encode(encoded), lengthBlock: bits })
}

function withPart(token: string, index: number, part: string): string {
  return token.split(".").with(index, part).join(".")
}

function flipBit(part: string, bit: number): string {
  const bytes = base64url.decode(part)
  const at = bit % (bytes.length * 8)
  return base64url.encode(bytes.map((byte, index) => (index === at >> 3 ? byte ^ (1 << (at & 7)) : byte)))
}

/** Counts the derivations. */
function countDerivations(platform: Primitives): { platform: Primitives; count: () => number } {
  let derivations = 0
  const deriveKey: Primitives["deriveKey"] = (derivation) => {
    derivations++
    return platform.deriveKey(derivation)
  }
  return { platform: { ...platform, deriveKey }, count: () => derivations }
}

describe.each([
  ["node:crypto", node],
  ["Web Crypto", web],
])("compact JWE on %s", (_, platform) => {
  const jwe = createJwe(platform)

  describe("refuses", () => {
    it.each<[string, Header]>([
      ["JWT-02", { alg: "none" }],
      ["JWT-03", { alg: "A256KW" }],
      ["JWT-03", { alg: "RSA-OAEP" }],
      ["JWT-03", { alg: "ECDH-ES" }],
      ["JWT-03", { alg: "PBES2-HS512+A256KW", p2c: 1, p2s: "AAAA" }],
      ["JWT-03", { alg: undefined }],
      ["JWT-03", { enc: "A128GCM" }],
      ["JWT-03", { enc: "A128CBC-HS256" }],
      ["JWT-03", { enc: undefined }],
      ["JWT-03", { crit: ["exp"], exp: 1 }],
      ["JWT-03", { crit: [] }],
      ["JWT-04", { alg: "PBES2-HS256+A128KW", p2c: 2147483647, p2s: "AAAA" }],
      ["JWT-04", { zip: "DEF" }],
      ["JWT-13", { kid: ["a"] }],
      ["JWT-13", { kid: null }],
      ["JWT-13", { kid: 1 }],
      ["JWT-13", { kid: "x".repeat(10_000) }],
    ])("%s: the header %o before any key is derived", async (_id, parameters) => {
      const counted = countDerivations(platform)
      const token = await forge(platform, { alg: "dir", enc: "A256CBC-HS512", ...parameters })
      expect(await createJwe(counted.platform).decrypt(token, keys)).toBeNull()
      expect(counted.count()).toBe(0)
    })

    it.each(["", "null", "[]", '"dir"', "{", "dir"])("the header %o", async (header) => {
      expect(await jwe.decrypt(await forge(platform, header), keys)).toBeNull()
    })

    it("JWT-13: an unknown key id, after it tries each secret once", async () => {
      const counted = countDerivations(platform)
      const token = await forge(platform, { alg: "dir", enc: "A256CBC-HS512", kid: "unknown" })
      const several: TokenKeys = { salt, secrets: [secret, "another secret", "a third secret"] }
      expect(await createJwe(counted.platform).decrypt(token, several)).toBeNull()
      expect(counted.count()).toBe(3)
    })

    it("a signed token", async () => {
      const part = base64url.encode('{"alg":"HS256"}')
      for (const token of [
        `${part}.${part}.${part}`,
        `${part}.${part}.`,
        `${part}....`,
        "",
        ".",
        "....",
        "a.b.c.d.e.f",
      ]) {
        expect(await jwe.decrypt(token, keys)).toBeNull()
      }
    })

    it("JWT-05: a flipped bit anywhere", async () => {
      const token = await jwe.encrypt(text, keys)
      const part = fc.constantFrom(0, 2, 3, 4)
      await fc.assert(
        fc.asyncProperty(part, fc.nat(), async (index, bit) => {
          const tampered = withPart(token, index, flipBit(token.split(".")[index] ?? "", bit))
          expect(await jwe.decrypt(tampered, keys)).toBeNull()
        }),
      )
    })

    it("a replaced character anywhere", async () => {
      const token = await jwe.encrypt(text, keys)
      await fc.assert(
        fc.asyncProperty(fc.nat(token.length - 1), fc.string({ minLength: 1, maxLength: 1 }), async (at, character) => {
          fc.pre(token[at] !== character)
          expect(await jwe.decrypt(token.slice(0, at) + character + token.slice(at + 1), keys)).toBeNull()
        }),
      )
    })

    it("every truncation", async () => {
      const token = await jwe.encrypt("{}", keys)
      for (let length = 0; length < token.length; length++) {
        expect(await jwe.decrypt(token.slice(0, length), keys)).toBeNull()
      }
    })

    it("JWT-06: a tag, an IV or a ciphertext of another length", async () => {
      const token = await jwe.encrypt(text, keys)
      const [, , , ciphertext = "", tag = ""] = token.split(".")
      const longer = base64url.encode(new Uint8Array([...base64url.decode(tag), 0]))
      for (const part of ["", base64url.encode(base64url.decode(tag).subarray(0, 8)), longer]) {
        expect(await jwe.decrypt(withPart(token, 4, part), keys)).toBeNull()
      }
      for (const part of ["", base64url.encode(new Uint8Array(12)), base64url.encode(new Uint8Array(17))]) {
        expect(await jwe.decrypt(withPart(token, 2, part), keys)).toBeNull()
      }
      for (const part of ["", ciphertext.slice(0, 8), `${ciphertext}AAAA`]) {
        expect(await jwe.decrypt(withPart(token, 3, part), keys)).toBeNull()
      }
    })

    it("an encrypted key, which direct encryption does not have", async () => {
      expect(await jwe.decrypt(withPart(await jwe.encrypt(text, keys), 1, "AAAA"), keys)).toBeNull()
    })

    it("a valid token with text appended", async () => {
      const token = await jwe.encrypt(text, keys)
      for (const surplus of [".", ".x", "..", `.${token}`]) expect(await jwe.decrypt(token + surplus, keys)).toBeNull()
    })

    it("another encoding of the same bytes", async () => {
      const token = await jwe.encrypt(text, keys)
      const iv = token.split(".")[2] ?? ""
      const last = { A: "B", Q: "R", g: "h", w: "x" }[iv.at(-1) ?? ""] ?? ""
      for (const spelling of [iv.slice(0, -1) + last, `${iv}=`, `${iv}==`, ` ${iv}`, `${iv}\n`]) {
        expect(await jwe.decrypt(withPart(token, 2, spelling), keys)).toBeNull()
      }
    })

    it("another salt, another secret, and a token that is too long", async () => {
      const token = await jwe.encrypt(text, keys)
      expect(await jwe.decrypt(token, { ...keys, salt: "authjs.session-token" })).toBeNull()
      expect(await jwe.decrypt(token, { ...keys, secrets: ["another secret"] })).toBeNull()
      const large = await jwe.encrypt("x".repeat(maxTokenLength), keys)
      expect(await jwe.decrypt(large, keys)).toBeNull()
    })

    it("A256GCM with a wrong tag, a short tag or a long IV", async () => {
      const token = await joseEncrypt(text, { enc: "A256GCM" })
      const [, , , , tag = ""] = token.split(".")
      expect(await jwe.decrypt(withPart(token, 4, flipBit(tag, 3)), keys)).toBeNull()
      expect(
        await jwe.decrypt(withPart(token, 4, base64url.encode(base64url.decode(tag).subarray(0, 12))), keys),
      ).toBeNull()
      expect(await jwe.decrypt(withPart(token, 2, base64url.encode(new Uint8Array(16))), keys)).toBeNull()
    })

    it("A256GCM whose ciphertext ends where the tag should begin, or later", async () => {
      const [header, key, iv, ciphertext = "", tag = ""] = (await joseEncrypt(text, { enc: "A256GCM" })).split(".")
      const joined = new Uint8Array([...base64url.decode(ciphertext), ...base64url.decode(tag)])
      for (const tagLength of [0, 12, 15, 17, 20]) {
        const parts = [joined.subarray(0, -tagLength || undefined), joined.subarray(joined.length - tagLength)]
        const moved = [header, key, iv, ...parts.map((part) => base64url.encode(part))].join(".")
        expect(await jwe.decrypt(moved, keys)).toBeNull()
      }
    })
  })

  describe("agrees with jose", () => {
    it("on the tokens that it writes", async () => {
      await fc.assert(
        fc.asyncProperty(fc.string({ unit: anyCharacter, maxLength: 5000 }), async (plaintext) => {
          expect(await joseDecrypt(await jwe.encrypt(plaintext, keys))).toBe(plaintext)
        }),
        { numRuns: 50 },
      )
    })

    it("on the tokens that it reads", async () => {
      await fc.assert(
        fc.asyncProperty(fc.string({ unit: anyCharacter, maxLength: 5000 }), async (plaintext) => {
          expect(await jwe.decrypt(await joseEncrypt(plaintext), keys)).toBe(plaintext)
        }),
        { numRuns: 50 },
      )
    })

    it("on the header, with the key's thumbprint as key id", async () => {
      const [header = ""] = (await jwe.encrypt(text, keys)).split(".")
      const kid = await toKid(await deriveKey(64, keys), "sha512")
      expect(new TextDecoder().decode(base64url.decode(header))).toBe(
        `{"alg":"dir","enc":"A256CBC-HS512","kid":"${kid}"}`,
      )
    })

    it("on secrets and salts that are not ASCII", async () => {
      const odd: TokenKeys = { secrets: ["пароль 🔑"], salt: "ключ" }
      expect(await joseDecrypt(await jwe.encrypt(text, odd), odd)).toBe(text)
      expect(await jwe.decrypt(await joseEncrypt(text, {}, odd), odd)).toBe(text)
    })
  })

  describe("reads", () => {
    it("a key id, with header members in any order, and ignores other members", async () => {
      const kid = await toKid(await deriveKey(64, keys), "sha512")
      const ignored = {
        jku: "https://evil.test/jwks",
        x5u: "https://evil.test/x",
        jwk: { kty: "oct" },
        x5c: ["AAAA"],
        typ: "JWT",
      }
      expect(await jwe.decrypt(await joseEncrypt(text, { ...ignored, kid }), keys)).toBe(text)
    })

    it("A256GCM, with and without its key id", async () => {
      const kid = await toKid(await deriveKey(32, keys), "sha256")
      expect(await jwe.decrypt(await joseEncrypt(text, { enc: "A256GCM" }), keys)).toBe(text)
      expect(await jwe.decrypt(await joseEncrypt(text, { enc: "A256GCM", kid }), keys)).toBe(text)
    })

    it("with an old secret by its key id, and without a key id with the first secret only", async () => {
      const old: TokenKeys = { secrets: ["the old secret"], salt }
      const rotated: TokenKeys = { secrets: [secret, "the old secret"], salt }
      expect(await jwe.decrypt(await jwe.encrypt(text, old), rotated)).toBe(text)
      expect(await createJwe(platform).decrypt(await jwe.encrypt(text, old), rotated)).toBe(text)
      expect(await jwe.decrypt(await joseEncrypt(text, {}, old), rotated)).toBeNull()
      expect(await jwe.decrypt(await joseEncrypt(text), rotated)).toBe(text)
    })
  })

  it("writes with the first secret and a fresh IV", async () => {
    const rotated: TokenKeys = { secrets: [secret, "the old secret"], salt }
    const [one, two] = [await jwe.encrypt(text, rotated), await jwe.encrypt(text, rotated)]
    expect(await jwe.decrypt(one, keys)).toBe(text)
    expect(one.split(".")[2]).not.toBe(two.split(".")[2])
  })

  it("derives each key once", async () => {
    const counted = countDerivations(platform)
    const counting = createJwe(counted.platform)
    const token = await counting.encrypt(text, keys)
    for (let n = 0; n < 3; n++) await counting.decrypt(token, keys)
    await counting.encrypt(text, keys)
    expect(counted.count()).toBe(1)
  })
})

it("is synchronous on Node", () => {
  const jwe = createJwe(node)
  const token = jwe.encrypt(text, keys)
  expect(token).toBeTypeOf("string")
  expect(jwe.decrypt(String(token), keys)).toBe(text)
})
