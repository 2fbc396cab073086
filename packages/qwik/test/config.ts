import type { ConfigQrl, QwikAuthConfig } from "../src/settings.js"

export const ada = { id: "1", name: "Ada Lovelace", email: "ada@example.com" }

/** Ada signs in with the password "right". */
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

/** What Qwik's optimizer makes of a function that is marked with `$`. */
export function toQrl(find: Find): ConfigQrl {
  return Object.assign(async (event: Parameters<ConfigQrl>[0]) => await find(event), { resolve: async () => find })
}
