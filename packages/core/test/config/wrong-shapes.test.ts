import { Auth } from "@latchkey/core"
import type { AuthConfig } from "@latchkey/core/types"
import { memoryAdapter } from "@latchkey/testkit"
import { describe, expect, it, vi } from "vitest"
import { secondFactors } from "../../src/features/second-factors/index.js"
import { deriveConfigs, settingsOf } from "../../src/integration/config.js"
import * as githubModule from "../../src/providers/github.js"
import { GitHub } from "../../src/providers/github.js"
import { Passwords } from "../../src/providers/passwords.js"

const valid = { secret: "a secret for the tests of shapes, long enough", trustHost: true, providers: [] }

/** What the log says about a configuration, as apps in JavaScript may write it. */
async function mistakeOf(given: object): Promise<string | undefined> {
  const error = vi.fn<(error: Error) => void>()
  const config = { ...valid, ...given, logger: { error } } as AuthConfig // as: not checked by a compiler.
  const { status } = await Auth(new Request("https://app.test/auth/providers"), config)
  expect(status).toBe(500)
  return error.mock.calls[0]?.[0].message
}

class Store {
  createUser() {}
}

describe("a configuration of the wrong shape", () => {
  const undefinedImport = "is undefined. If it is imported, correct the name, or the modules that import each other"
  it.each<readonly [name: string, entry: unknown, sentence: string]>([
    ["undefined", undefined, undefinedImport],
    ["false, as of a condition", false, "is false. Leave it out then, for example by .filter(Boolean) after the list"],
    ["a list", [GitHub], "is a list. Spread it: ...list"],
    ["a promise", Promise.resolve(GitHub), "is a promise. Await it"],
    ["text", "github", "is a string"],
    ["a module", githubModule, "is a whole module. Import what you need by its name: import { Name } from ..."],
  ])("is named by the entry of providers that is %s", async (_, entry, sentence) => {
    expect(await mistakeOf({ providers: [GitHub, entry] })).toBe(`providers[1]: ${sentence}`)
  })

  it("is named before another one is derived from it, as integrations do", () => {
    const derive = deriveConfigs((config: AuthConfig) => ({ ...config, basePath: "/api/auth" }))
    expect(() => derive(undefined as never)).toThrow(`The configuration ${undefinedImport}`) // as never: a circular import.
  })

  it("is named by a function in providers that returns none", async () => {
    const made = () => undefined
    expect(await mistakeOf({ providers: [made] })).toBe(
      "providers: cannot be read: the function made returns no provider. Call it with its options, and await a promise",
    )
  })

  it.each<readonly [name: string, adapter: unknown, sentence: string]>([
    ["its factory", memoryAdapter, "is a function. Call it"],
    ["its class", Store, "is a function. Call it"],
    ["a promise", Promise.resolve(memoryAdapter()), "is a promise. Await it"],
    ["a module", githubModule, "is a whole module. Import what you need by its name: import { Name } from ..."],
  ])("is named by an adapter that is %s", async (_, adapter, sentence) => {
    expect(await mistakeOf({ adapter })).toBe(`adapter: ${sentence}`)
    expect(await mistakeOf({ adapter, session: { strategy: "jwt" } })).toBe(`adapter: ${sentence}`)
  })

  it.each([[undefined], [null], [42]])("is named for Passwords(%j)", async (given) => {
    const create = Passwords as (given: unknown) => object // as: apps in JavaScript.
    expect(await mistakeOf({ adapter: memoryAdapter(), providers: [create(given)] })).toBe(
      "providers.password.mail: must be an email provider, such as Resend, or { send(mail) }",
    )
  })

  it("is named for secondFactors() without options", async () => {
    const create = secondFactors as () => object // as: apps in JavaScript.
    expect(await mistakeOf({ adapter: memoryAdapter(), secondFactors: create() })).toMatch(
      /^secondFactors\.factors: must /,
    )
  })

  it.each<readonly [name: string, config: unknown, sentence: string]>([
    ["undefined", undefined, undefinedImport],
    ["null", null, undefinedImport.replace("undefined", "null")],
    ["a list", [GitHub], "is a list"],
    ["a promise", Promise.resolve(valid), "is a promise. Await it"],
    ["a function", () => valid, "is a function. Call it"],
    ["a module", { default: valid }, "is a whole module. Import what you need by its name: import { Name } from ..."],
  ])("is named for the whole configuration if it is %s", async (_, config, sentence) => {
    const message = `The configuration ${sentence}. Pass an object, such as { providers: [GitHub] }`
    const given = config as AuthConfig // as: apps in JavaScript.
    await expect(Auth(new Request("https://app.test/auth/session"), given)).rejects.toMatchObject({
      type: "InvalidConfiguration",
      message,
    })
    if (typeof config !== "function") expect(() => settingsOf(given, { env: {} })).toThrow(message)
  })
})

describe("a request outside of the base path", () => {
  it.each([
    ["/api/auth/session", ', but fits basePath: "/api/auth"'],
    ["/api/auth/callback/github", ', but fits basePath: "/api/auth"'],
    ["/somewhere", ""],
  ])("is logged with the base path that would fit: %s", async (path, advice) => {
    const error = vi.fn<(error: Error) => void>()
    await Auth(new Request(`https://app.test${path}`), { ...valid, logger: { error } })
    expect(error.mock.calls[0]?.[0].message).toBe(
      `The path is outside the base path, /auth${advice}. Correct basePath, else the path of AUTH_URL`,
    )
  })
})
