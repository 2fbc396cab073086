import { integrationConfig, integrationUser } from "@latchkey/testkit/integration"
import type { AuthConfig, KoaAuthConfig } from "../src/index.js"

const { username, password, name, email } = integrationUser

/** The user of the tests. */
export const ada = { name, email }
/** Signs in that user. */
export const right = { username, password }

/** Signs in with {@link right}. Frozen, because the host's object must not be written to. */
export function testConfig(changes: Partial<AuthConfig> = {}): KoaAuthConfig {
  return Object.freeze({
    ...integrationConfig(),
    callbacks: {
      // The data that the tests send.
      jwt: ({ token, trigger, session }) =>
        trigger === "update" ? { ...token, ...(session as { name: string }) } : token,
    },
    ...changes,
  })
}
