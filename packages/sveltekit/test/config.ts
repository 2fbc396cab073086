import type { SvelteKitAuthConfig } from "@latchkey/sveltekit"
import { recordingLogger } from "@latchkey/testkit"
import { integrationConfig } from "@latchkey/testkit/integration"
import { vi } from "vitest"

export const sessionCookie = "__Secure-authjs.session-token"
export const right = { username: "ada", password: "correct horse" }

/** A provider that does not exist, so a sign-in with it only starts. */
const harbour = {
  id: "harbour",
  name: "Harbour",
  type: "oauth",
  clientId: "app",
  clientSecret: "a secret of the test provider",
  authorization: "https://id.harbour.test/authorize",
  token: "https://id.harbour.test/token",
  userinfo: "https://id.harbour.test/me",
} as const

/** The configuration of the shared suite, with a recording logger and a mocked `session` callback. */
export function appConfig(changes: Partial<SvelteKitAuthConfig> = {}) {
  const logger = recordingLogger()
  const session = vi.fn(({ session }) => session)
  const { providers } = integrationConfig()
  const config: SvelteKitAuthConfig = {
    ...integrationConfig(),
    providers: [...providers, harbour],
    logger,
    callbacks: { session },
    ...changes,
  }
  return { config, logger, session }
}
