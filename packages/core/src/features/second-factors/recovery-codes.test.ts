import crypto from "node:crypto"
import { afterEach, describe, expect, it, vi } from "vitest"
import { fromBase64, toBase64 } from "../../methods/password/format.js"
import { hashFormerCode } from "./former-codes.js"
import { countLeft, recoveryCodes } from "./recovery-codes.js"

afterEach(() => vi.restoreAllMocks())

const factor = recoveryCodes()
const accept = (code: string, secret: string) => factor.accept(factor.normalize(code) ?? "", { secret, lastStep: null })

describe("recoveryCodes()", () => {
  it("keeps a digest of each code, under a key of the set, without the cost of a password hash", async () => {
    const argon2 = vi.spyOn(crypto, "argon2")
    const [one, other] = await Promise.all([factor.createSet(), factor.createSet()])
    const { key, hashes } = JSON.parse(one.secret)
    expect([fromBase64(key).length, new Set(hashes).size, JSON.parse(other.secret).key === key]).toEqual([
      32,
      10,
      false,
    ])
    for (const code of one.codes) expect(one.secret).not.toContain(factor.normalize(code))
    const accepted = await accept(one.codes[3] ?? "", one.secret)
    expect(countLeft(accepted?.secret ?? "")).toBe(9)
    expect(await accept(one.codes[3] ?? "", accepted?.secret ?? "")).toBeNull()
    expect(await accept(one.codes[3] ?? "", other.secret)).toBeNull()
    expect(argon2).not.toHaveBeenCalled()
  })

  it("accepts the codes of an earlier version, at the costs that they were hashed with", async () => {
    const argon2 = vi.spyOn(crypto, "argon2")
    const salt = new Uint8Array(16)
    const codes = ["AAAABBBBCCCC", "DDDDEEEEFFFF"]
    const hashes = await Promise.all(codes.map(async (code) => toBase64(await hashFormerCode(code, salt))))
    const secret = JSON.stringify({ salt: toBase64(salt), hashes })
    const accepted = await accept("dddd-eeee-ffff", secret)
    expect(JSON.parse(accepted?.secret ?? "")).toEqual({ salt: toBase64(salt), hashes: hashes.slice(0, 1) })
    expect(await accept("DDDDEEEEFFFF", accepted?.secret ?? "")).toBeNull()
    const costs = argon2.mock.calls.map(([algorithm, { memory, passes, parallelism }]) =>
      [algorithm, memory, passes, parallelism].join(),
    )
    expect(new Set(costs)).toEqual(new Set(["argon2id,19456,2,1"]))
  })

  it.each(["{}", "[]", '{"key":1,"hashes":[]}', '{"key":"AA"}', "text"])(
    "rejects the stored text %s",
    async (secret) => {
      await expect(accept("AAAABBBBCCCC", secret)).rejects.toThrow("malformed")
    },
  )
})
