import { describe, expect, it } from "vitest"
import { createVault } from "./factor.js"

const row = { id: "f-1", userId: "7", kind: "totp", label: null, lastStep: null, version: 0 }
const dates = { createdAt: new Date(0), lastUsedAt: null }

describe("createVault", () => {
  it("opens the secret of a user whose id is a number in the database, and of no other", async () => {
    const vault = createVault(["a secret that is long enough for a test"])
    const ids = ["7", 7, 7n] as unknown as readonly string[] // as: some adapters return the database's own type
    for (const sealedFor of ids) {
      const secret = await vault.seal({ ...row, userId: sealedFor }, "JBSWY3DP")
      for (const userId of ids) expect(await vault.open({ ...row, ...dates, userId, secret })).toBe("JBSWY3DP")
      for (const userId of ["8", 8, {}] as readonly unknown[] as readonly string[])
        await expect(vault.open({ ...row, ...dates, userId, secret })).rejects.toThrow("cannot be opened")
    }
  })
})
