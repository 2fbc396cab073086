import type { AuthConfig, FastifyAuthConfig } from "../src/index.js"

export const ada = { name: "Ada Lovelace", email: "ada@example.com" }

/** A configuration by which Ada signs in with the password "right". Frozen: nothing may write to a host's object. */
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
      // What the tests send.
      jwt: ({ token, trigger, session }) =>
        trigger === "update" ? { ...token, ...(session as { name: string }) } : token,
    },
    ...changes,
  })
}
