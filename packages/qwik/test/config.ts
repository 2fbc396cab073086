import type { ConfigQrl, QwikAuthConfig } from "../src/config.js"

export const ada = { id: "1", name: "Ada Lovelace", email: "ada@example.com" }

/** A configuration with one user: Ada, whose password is "right". */
export function testConfig(changes: Partial<QwikAuthConfig> = {}): QwikAuthConfig {
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

type Find = (event: Parameters<ConfigQrl>[0]) => QwikAuthConfig | Promise<QwikAuthConfig>

/** Wraps a function as Qwik's optimizer does for a `$` call. */
export function toQrl(find: Find): ConfigQrl {
  return Object.assign(async (event: Parameters<ConfigQrl>[0]) => await find(event), { resolve: async () => find })
}
