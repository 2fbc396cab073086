import type { AdapterCase } from "./adapter-case.js"
import { expectNothing, expectRecord } from "./expectations.js"
import { keyOfToken, sampleToken, unique } from "./samples.js"

export const tokenCases: readonly AdapterCase[] = [
  {
    claim: "finds no verification token that was never made",
    needs: ["useVerificationToken"],
    run: async (adapter) =>
      expectNothing(await adapter.useVerificationToken({ identifier: "ada@example.com", token: unique("hash") })),
  },
  {
    claim: "MAIL-14: gives a verification token once",
    needs: ["createVerificationToken", "useVerificationToken"],
    async run(adapter) {
      const token = sampleToken()
      await adapter.createVerificationToken(token)
      expectRecord(await adapter.useVerificationToken(keyOfToken(token)), token)
      expectNothing(await adapter.useVerificationToken(keyOfToken(token)))
    },
  },
  {
    claim: "MAIL-13: does not spend a verification token on another's email",
    needs: ["createVerificationToken", "useVerificationToken"],
    async run(adapter) {
      const token = sampleToken()
      await adapter.createVerificationToken(token)
      expectNothing(await adapter.useVerificationToken({ identifier: "eve@example.com", token: token.token }))
      expectRecord(await adapter.useVerificationToken(keyOfToken(token)), token)
    },
  },
  {
    claim: "does not spend a verification token on a wrong token for its email",
    needs: ["createVerificationToken", "useVerificationToken"],
    async run(adapter) {
      const token = sampleToken()
      await adapter.createVerificationToken(token)
      expectNothing(await adapter.useVerificationToken({ identifier: token.identifier, token: unique("hash") }))
      expectRecord(await adapter.useVerificationToken(keyOfToken(token)), token)
    },
  },
  {
    claim: "keeps several verification tokens for one email, each usable once",
    needs: ["createVerificationToken", "useVerificationToken"],
    async run(adapter) {
      const first = sampleToken()
      const second = sampleToken({ identifier: first.identifier })
      for (const token of [first, second]) await adapter.createVerificationToken(token)
      expectRecord(await adapter.useVerificationToken(keyOfToken(second)), second)
      expectRecord(await adapter.useVerificationToken(keyOfToken(first)), first)
      expectNothing(await adapter.useVerificationToken(keyOfToken(second)))
    },
  },
]
