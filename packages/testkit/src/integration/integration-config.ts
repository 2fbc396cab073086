import type { AuthConfig, CredentialsConfig } from "@latchkey/core/types"
import type { Canary } from "../log/leaks.js"

/** The person whom every server under test knows. */
export const integrationUser = {
  username: "ada",
  password: "correct horse",
  /** Not ASCII alone, so that a server that garbles text is found. */
  name: "Ada Lövelace 🔑",
  email: "ada@example.com",
} as const

const secret = "a secret of the integration suite, of no use elsewhere"

/** What no answer may hold. */
export const integrationSecrets: readonly Canary[] = [
  { name: "the service's secret", value: secret },
  { name: "the password", value: integrationUser.password },
]

const provider: CredentialsConfig = {
  id: "credentials",
  name: "Password",
  type: "credentials",
  credentials: { username: { label: "User name" }, password: { label: "Password", type: "password" } },
  authorize: ({ username, password }) => {
    const isKnown = username === integrationUser.username && password === integrationUser.password
    return isKnown ? { id: "1815", name: integrationUser.name, email: integrationUser.email } : null
  },
}

/**
 * The configuration of a server that {@link testIntegration} is to examine: one person who signs in by password, and
 * sessions in cookies. Without a base path, which is the integration's own.
 */
export function integrationConfig(): AuthConfig {
  return {
    providers: [provider],
    secret,
    trustHost: true,
    logger: { error: () => undefined, warn: () => undefined, debug: () => undefined },
  }
}
