import type { AuthConfig } from "@latchkey/core"

/** A configuration by which Ada signs in with the password "right". Frozen: nothing may write to a host's object. */
export function testConfig(changes: Partial<AuthConfig> = {}): AuthConfig {
  const providers: AuthConfig["providers"] = [
    {
      id: "credentials",
      name: "Password",
      type: "credentials",
      credentials: { password: { type: "password" } },
      authorize: ({ password }) => (password === "right" ? { id: "1", name: "Ada" } : null),
    },
  ]
  const logger = { error: () => {}, warn: () => {}, debug: () => {} }
  const secret = "a secret for tests that is long enough"
  return Object.freeze({ providers, secret, trustHost: true, logger, ...changes })
}
