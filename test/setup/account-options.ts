import { accountArea } from "../../packages/core/src/features/account-area/index.js"
import { recoveryCodes, secondFactors, totp } from "../../packages/core/src/features/second-factors/index.js"
import { trackSessions } from "../../packages/core/src/features/tracked-sessions/index.js"
import { type MemoryAdapter, memoryAdapter } from "../../packages/testkit/src/adapter/memory-adapter.js"
import type { TestHostOptions } from "../../packages/testkit/src/index.js"

/**
 * A service with an account area, a provider for accounts, and users who sign in with any name and the password
 * `correct horse`.
 */
export function accountOptions(): TestHostOptions & { readonly adapter: MemoryAdapter } {
  const adapter = memoryAdapter()
  return {
    adapter,
    session: { strategy: "database", track: trackSessions({ checkEvery: 0 }) },
    secondFactors: secondFactors({ factors: [totp(), recoveryCodes()] }),
    accountArea: accountArea(),
    providers: ({ idp }) => [
      idp.oauthProvider({ profile: ({ sub, email }) => ({ id: String(sub), email: String(email) }) }),
      {
        id: "credentials",
        name: "Password",
        type: "credentials",
        credentials: { username: {}, password: { type: "password" } },
        async authorize({ username, password }) {
          if (password !== "correct horse") return null
          const email = `${String(username)}@example.com`
          const known = await adapter.getUserByEmail(email)
          return (
            known ?? adapter.createUser({ id: `u-${username}`, email, name: String(username), emailVerified: null })
          )
        },
      },
    ],
  }
}
