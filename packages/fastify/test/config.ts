import type { AuthConfig, FastifyAuthConfig } from "../src/index.js"

export const ada = { name: "Ada Lovelace", email: "ada@example.com" }

/** Signs in Ada with the password "right". Frozen, because the host's object must not be written to. */
export function testConfig(changes: Partial<AuthConfig> = {}): FastifyAuthConfig {
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
  return Object.freeze({
    providers,
    secret: "a secret for tests that is long enough",
    trustHost: true,
    logger,
    callbacks: {
      // The data that the tests send.
      jwt: ({ token, trigger, session }) =>
        trigger === "update" ? { ...token, ...(session as { name: string }) } : token,
    },
    ...changes,
  })
}
