import type { AuthConfig } from "@latchkey/core"

export const ada = { name: "Ada Lovelace", email: "ada@example.com" }

/** Signs in Ada with the password "right". Frozen, because the host's object must not be written to. */
export function testConfig(changes: Partial<AuthConfig> = {}): AuthConfig {
  const providers: AuthConfig["providers"] = [
    {
      id: "credentials",
      name: "Password",
      type: "credentials",
      credentials: { username: { label: "Name" }, password: { label: "Password", type: "password" } },
      authorize: ({ username, password }) => (username === "ada" && password === "right" ? { id: "1", ...ada } : null),
    },
  ]
  const logger = { error: () => {}, warn: () => {}, debug: () => {} }
  const secret = "a secret for tests that is long enough"
  return Object.freeze({
    providers: Object.freeze(providers) as AuthConfig["providers"],
    secret,
    trustHost: true,
    logger,
    ...changes,
  })
}
