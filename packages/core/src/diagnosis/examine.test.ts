import { afterEach, describe, expect, it, vi } from "vitest"
import { describeWarning } from "../log/warnings.js"
import { createPasswordProvider } from "../methods/password/password.js"
import { GitHub } from "../providers/github.js"
import type { AuthConfig } from "../types/config.js"
import { examine } from "./examine.js"

const secret = "3lGkUQH0c9Ie2nQm7WwZt5xYv8Ra4Pb1"
const production = { NODE_ENV: "production", AUTH_URL: "https://app.example" }
const provider = GitHub({ clientId: "id", clientSecret: "secret" })
const clean: AuthConfig = { secret, providers: [provider] }

afterEach(() => {
  vi.restoreAllMocks()
})

const codesOf = async (config: AuthConfig, env: Readonly<Record<string, string>> = production) =>
  (await examine(config, env)).examined.map(({ code, isError }) => (isError ? code : `${code} (warning)`))

describe("examine", () => {
  it("finds nothing in a configuration without a mistake", async () => {
    expect(await codesOf(clean)).toEqual([])
  })

  it("neither logs nor writes to the configuration", async () => {
    const sinks = [vi.spyOn(console, "warn"), vi.spyOn(console, "error")]
    const given: AuthConfig = { providers: [GitHub], debug: true }
    await examine(given, { NODE_ENV: "production", AUTH_URL: "app.example", AUTH_SECRET: "x" })
    for (const sink of sinks) expect(sink).not.toHaveBeenCalled()
    expect(given).toEqual({ providers: [GitHub], debug: true })
  })

  it("says what the log says, with the option and the guide apart", async () => {
    const { examined } = await examine({ secret, providers: [GitHub] }, production)
    const sentence =
      "providers.github.clientId: missing. Set it, or AUTH_GITHUB_ID in the environment. Sign-ins with this provider are refused until the option is set. All other requests work."
    const guide = ["Errors and logging", "Providers that are not set up"]
    expect(examined).toEqual([
      { code: "provider-unusable", isError: true, option: "providers.github.clientId", sentence, guide },
    ])
    expect(describeWarning("provider-unusable")).toContain('See the guide "Errors and logging", section "Providers')
  })

  it.each<[string, AuthConfig, Readonly<Record<string, string>>, readonly string[]]>([
    ["a missing secret", { providers: [provider] }, production, ["MissingSecret"]],
    ["a secret that can be guessed", { ...clean, secret: "a".repeat(40) }, production, ["InvalidConfiguration"]],
    [
      "AUTH_URL without a scheme",
      clean,
      { ...production, AUTH_URL: "app.example" },
      ["UntrustedHost", "env-url-invalid"],
    ],
    ["AUTH_URL over http", clean, { ...production, AUTH_URL: "http://app.example" }, ["insecure-url"]],
    [
      "AUTH_URL with another path than basePath",
      { ...clean, basePath: "/auth" },
      { ...production, AUTH_URL: "https://app.example/api/auth" },
      ["env-url-basepath-mismatch"],
    ],
    [
      "AUTH_URL with the path of basePath",
      { ...clean, basePath: "/auth" },
      { ...production, AUTH_URL: "https://a.example/auth" },
      [],
    ],
    ["an option that nothing reads", Object.assign({ sesion: {} }, clean), production, ["option-unknown (warning)"]],
    ["an adapter that is missing", { ...clean, session: { strategy: "database" } }, production, ["MissingAdapter"]],
    [
      "linking by address that the adapter cannot prove",
      {
        ...clean,
        adapter: {},
        session: { strategy: "jwt" },
        providers: [GitHub({ ...provider.options, allowDangerousEmailAccountLinking: true })],
      },
      production,
      ["email-linking-enabled (warning)", "email-linking-unproven (warning)", "once-per-process (warning)"],
    ],
  ])("finds %s", async (_, config, env, codes) => {
    expect(await codesOf(config, env)).toEqual(codes)
  })

  it("names an option of another type, although nothing else can be read then", async () => {
    const config: AuthConfig = Object.assign({}, clean, { providers: undefined })
    const { examined, config: resolved } = await examine(config, production)
    expect([examined.map(({ sentence }) => sentence), resolved]).toEqual([["providers: must be a list"], null])
  })

  it("names what a getter of the app throws", async () => {
    const config = Object.defineProperty({ ...clean }, "pages", { enumerable: true, get: () => assert() })
    const assert = (): never => {
      throw new Error("no pages yet")
    }
    expect((await examine(config, production)).examined[0]?.sentence).toContain("no pages yet")
  })

  it("tells the length of passwords that the options allow, and whether everyone has a second factor", async () => {
    const mail = { send: () => {} }
    const withPasswords = (minLength?: number): AuthConfig => ({
      ...clean,
      adapter: {},
      providers: [createPasswordProvider({ mail, ...(minLength !== undefined && { minLength }) })],
    })
    expect((await examine(withPasswords(8), production)).config).toMatchObject({
      passwordLength: 8,
      needsFactor: false,
    })
    expect((await examine(withPasswords(), production)).config).not.toHaveProperty("passwordLength")
  })
})
