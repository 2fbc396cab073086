import type { AuthConfig } from "@latchkey/core"
import { integrationConfig, integrationUser } from "@latchkey/testkit/integration"

const { username, password, name, email } = integrationUser

/** The user of the tests. */
export const ada = { name, email }
/** Signs in that user. */
export const right = { username, password }

/** Signs in with {@link right}. Frozen, because the host's object must not be written to. */
export function testConfig(changes: Partial<AuthConfig> = {}): AuthConfig {
  const config = integrationConfig()
  return Object.freeze({
    ...config,
    providers: Object.freeze(config.providers) as AuthConfig["providers"], // A host's list may be frozen.
    ...changes,
  })
}
