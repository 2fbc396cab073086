import type { AuthConfig } from "@latchkey/core"

/** Signs in Ada with the password "right". Frozen, because the host's object must not be written to. */
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
