import { argon2Sync } from "node:crypto"
import { describe, expect, it } from "vitest"
import { argon2id, derive } from "./argon2id.js"
import { toBase64 } from "./format.js"

const bytes = (text: string) => new TextEncoder().encode(text)

describe("argon2id", () => {
  it("verifies the hash in the manual of the reference implementation, and no other password", async () => {
    const stored = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
    expect(await argon2id().verify(stored, bytes("password"))).toBe(true)
    expect(await argon2id().verify(stored, bytes("password!"))).toBe(false)
  })

  it("computes the least costs of OWASP by default", async () => {
    const stored = await argon2id().hash(bytes("secret"))
    const [, , , parameters, salt = "", hash] = stored.split("$")
    expect(parameters).toBe("m=19456,t=2,p=1")
    const nonce = Buffer.from(salt, "base64")
    const costs = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 }
    const expected = argon2Sync("argon2id", { message: "secret", nonce, ...costs })
    expect(hash).toBe(expected.toString("base64").replace(/=+$/, ""))
  })

  it("verifies what it hashed, with a new salt for each", async () => {
    const hasher = argon2id({ memory: 64, passes: 1 })
    const [one, other] = [await hasher.hash(bytes("secret")), await hasher.hash(bytes("secret"))]
    expect(one).not.toBe(other)
    expect(await hasher.verify(one, bytes("secret"))).toBe(true)
    expect([hasher.isCurrent(one), argon2id().isCurrent(one)]).toEqual([true, false])
  })

  it("derives the same key for one salt, and another for another one", async () => {
    const base = { m: 64, t: 1, p: 1, password: bytes("CODE"), length: 32 }
    const keys = await Promise.all(
      ["salt-one-of-16-b", "salt-one-of-16-b", "salt-two-of-16-b"].map(async (salt) =>
        toBase64(new Uint8Array(await derive({ ...base, salt: bytes(salt) }))),
      ),
    )
    expect([keys[0] === keys[1], keys[0] === keys[2]]).toEqual([true, false])
  })

  it("refuses costs beyond its limits, its own and stored ones", async () => {
    expect(() => argon2id({ memory: 1 })).toThrow("memory must be an integer from 8")
    const costly = "$argon2id$v=19$m=1048576,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
    await expect(argon2id().verify(costly, bytes("password"))).rejects.toThrow("cost m")
  })
})
