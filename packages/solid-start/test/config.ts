import type { SolidAuthConfig } from "../src/index.js"

export const ada = { id: "1", name: "Ada Lovelace", email: "ada@example.com" }

/** A configuration with one user: Ada, whose password is "right". Logs nothing by default. */
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
