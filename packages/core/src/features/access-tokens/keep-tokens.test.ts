import { memoryAdapter } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { getService } from "../../auth.js"
import type { AuthConfig } from "../../types/config.js"
import { accessTokens } from "./access-token.js"
import type { AccessTokensOptions } from "./keep-tokens.js"

const secret = "a secret of at least thirty-two characters"
const findMistake = (changes: Partial<AuthConfig>) =>
  getService({ providers: [], secret, trustHost: true, ...changes }).mistake?.message ?? null

describe("accessTokens", () => {
  it("is accepted with an adapter that has the methods", () => {
    for (const options of [undefined, { encrypt: false, refreshBefore: 0 }]) {
      expect(findMistake({ accessTokens: accessTokens(options), adapter: memoryAdapter() })).toBeNull()
    }
  })

  it("is refused at the start with an adapter that lacks methods, if the tokens are kept in its accounts", () => {
    const { takeLease, dropLease, replaceTokens, ...published } = memoryAdapter()
    const tokens = accessTokens({ keep: "account" })
    expect(findMistake({ accessTokens: tokens, adapter: published })).toMatch(
      /^accessTokens: the adapter lacks takeLease, dropLease, replaceTokens\. Use @latchkey\//,
    )
    expect(findMistake({ accessTokens: tokens })).toMatch(/^accessTokens: needs an adapter\. Use/)
    const { getAccount, ...partial } = memoryAdapter()
    expect(findMistake({ accessTokens: accessTokens(), adapter: partial })).toMatch(
      /^accessTokens: the adapter lacks getAccount\./,
    )
  })

  it("is accepted with any adapter and without one, if the tokens are kept elsewhere", () => {
    const { takeLease, dropLease, replaceTokens, ...published } = memoryAdapter()
    const methods = { get: () => null, replace: () => true, takeLease: () => true, dropLease: () => null }
    for (const keep of ["cookie", undefined, methods] as const) {
      const tokens = accessTokens(keep && { keep })
      expect([
        findMistake({ accessTokens: tokens }),
        findMistake({ accessTokens: tokens, adapter: published }),
      ]).toEqual([null, null])
    }
  })

  it.each([
    [{ encrypt: "false" }, /^accessTokens\.encrypt: must be true or false/],
    [{ refreshBefore: -1 }, /^accessTokens\.refreshBefore: must be an integer of seconds from 0 to 3600/],
    [{ revoke: "signout" }, /^accessTokens\.revoke: must be "unlink" or "sign-out" or "never"/],
    [{ refreshbefore: 60 }, /^accessTokens\.refreshbefore: unknown option\. Use keep, encrypt, refreshBefore, revoke/],
    [{ keep: "database" }, /^accessTokens\.keep: must be "account", "cookie", or a token store with the methods get,/],
    [{ keep: { get: () => null } }, /^accessTokens\.keep: must be "account", "cookie", or a token store/],
  ])("refuses %j at the start", (options, sentence) => {
    expect(
      findMistake({ accessTokens: accessTokens(options as AccessTokensOptions), adapter: memoryAdapter() }),
    ).toMatch(sentence)
  })

  it.each([true, {}, "all"])("is the only value of the option: %j is refused", (tokens) => {
    expect(findMistake({ accessTokens: tokens as never })).toBe("accessTokens: must be the result of accessTokens()")
  })
})
