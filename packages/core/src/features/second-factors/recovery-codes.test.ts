import crypto from "node:crypto"
import { afterEach, describe, expect, it, vi } from "vitest"
import { countLeft, recoveryCodes } from "./recovery-codes.js"

afterEach(() => vi.restoreAllMocks())

describe("recoveryCodes()", () => {
  it("hashes each code of a set, and a typed one, at the least costs of OWASP", async () => {
    const argon2 = vi.spyOn(crypto, "argon2")
    const factor = recoveryCodes()
    const { codes, secret } = await factor.createSet()
    expect(argon2).toHaveBeenCalledTimes(10)
    const accepted = await factor.accept(factor.normalize(codes[3] ?? "") ?? "", { secret, lastStep: null })
    expect(countLeft(accepted?.secret ?? "")).toBe(9)
    expect(argon2).toHaveBeenCalledTimes(11)
    const costs = argon2.mock.calls.map(([algorithm, { memory, passes, parallelism }]) =>
      [algorithm, memory, passes, parallelism].join(),
    )
    expect(new Set(costs)).toEqual(new Set(["argon2id,19456,2,1"]))
  })
})
