import type { SolidAuthConfig } from "../src/index.js"

export const ada = { id: "1", name: "Ada Lovelace", email: "ada@example.com" }

/** Ada signs in with the password "right". The log is the given one, else none. */
export function testConfig(changes: Partial<SolidAuthConfig> = {}): SolidAuthConfig {
  return {
    providers: [
      {
        id: "credentials",
        name: "Password",
        type: "credentials",
        credentials: { username: {}, password: { type: "password" } },
        authorize: ({ username, password }) => (username === "ada" && password === "right" ? ada : null),
      },
    ],
    secret: "a secret for tests that is long enough",
    trustHost: true,
    logger: { error: () => {}, warn: () => {}, debug: () => {} },
    ...changes,
  }
}
