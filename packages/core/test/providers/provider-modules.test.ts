import { readFileSync } from "node:fs"
import * as icons from "simple-icons"
import { describe, expect, it } from "vitest"
import { resolveProvider } from "../../src/config/providers.js"
import { contrast, parseColor, textOn } from "../../src/pages/theme/color.js"
import { neutralMark } from "../../src/providers/_shared/profile.js"
import { type NamedFacts, providerFacts } from "./provider-facts.js"
import { clientOptions, createProvider, importFactory, moduleFiles, moduleUrl } from "./provider-modules.js"

const rows = providerFacts.map((facts): readonly [string, NamedFacts] => [facts.file, facts])
const freeMarks = new Set([neutralMark, ...Object.values(icons).flatMap((icon) => ("path" in icon ? icon.path : []))])

it("every provider has a unique ID", () => {
  expect(new Set(providerFacts.map(({ id }) => id)).size).toBe(providerFacts.length)
})

/** Modules that export another module's provider under a second ID. */
const aliases: Readonly<Record<string, string>> = {
  "azure-ad": "microsoft-entra-id",
  email: "nodemailer",
  passkey: "webauthn",
}

/** The options that all these providers take. */
const oauthOptions = [
  ...["id", "name", "account", "advanced", "allowDangerousEmailAccountLinking", "apiKey", "authorization", "checks"],
  ...["client", "idToken", "idTokenAlgorithms", "isIssuer", "issuer", "jwks_endpoint", "logout", "profile"],
  ...["redirectProxyUrl", "revocation", "style", "token", "userinfo", "wellKnown", "enterprise", "baseUrl"],
]

describe("provider module", () => {
  it.each(moduleFiles)("%s imports no other provider", (file) => {
    const source = readFileSync(moduleUrl(file), "utf8")
    const siblings = [...source.matchAll(/from "\.\/([\w-]+)\.js"|import\("\.\/([\w-]+)\.js"\)/g)].flatMap(
      ([, name, lazy]) => name ?? lazy ?? [],
    )
    const alias = aliases[file.replace(".ts", "")]
    expect(siblings).toEqual(siblings.length === 0 ? [] : [alias])
  })

  it.each(moduleFiles)("%s names its subpath and has a default export", (file) => {
    const source = readFileSync(moduleUrl(file), "utf8")
    expect(source).toContain(`// Imported as \`@latchkey/core/providers/${file.replace(".ts", "")}\`.`)
    expect(source).toMatch(/export default \w+\n$/)
  })
})

describe("OAuth provider", () => {
  it.each(rows)("%s keeps the app's options apart from its own fields", async (_, facts) => {
    const provider = await createProvider(facts)
    expect(provider).toMatchObject({ id: facts.id, name: facts.name, options: { ...clientOptions, ...facts.options } })
    expect(provider.clientId).toBeUndefined()
    expect(provider.clientSecret).toBeUndefined()
  })

  it.each(rows)("%s can be configured without a call", async (_, { file, id }) => {
    const factory = await importFactory(file)
    expect(factory({}).id).toBe(id)
  })

  it.each(rows)("%s takes undefined for an option that is left out", async (_, facts) => {
    const factory = await importFactory(facts.file)
    const given: Readonly<Record<string, string>> = { ...clientOptions, ...facts.options }
    const describe = (options: Readonly<Record<string, string>>) =>
      JSON.stringify(resolveProvider(factory(options), undefined), (_key, value: unknown) =>
        typeof value === "function" ? String(value) : value,
      )
    const own = Object.keys(factory(given).optionRules ?? {})
    const left = [...oauthOptions, ...own].filter((name) => !Object.hasOwn(given, name))
    const undefinedOptions: object = Object.fromEntries(left.map((name) => [name, undefined]))
    expect(describe({ ...given, ...undefinedOptions })).toBe(describe(given))
  })

  it.each(rows)("%s has a mark from simple-icons, or the neutral mark", async (_, facts) => {
    const { style } = await createProvider(facts)
    expect(freeMarks).toContain(style?.mark)
  })

  it.each(rows)("%s has a brand color with readable text", async (_, facts) => {
    const { style } = await createProvider(facts)
    if (style?.brandColor === undefined) return expect(style?.mark).toBe(neutralMark)
    const color = parseColor(style.brandColor)
    expect(color && contrast(color, textOn(color))).toBeGreaterThanOrEqual(4.5)
  })

  it.each(rows)("%s documents its callback URL, scopes and vendor documentation", (_, { file, id }) => {
    const comment = readFileSync(moduleUrl(`${file}.ts`), "utf8").replace(/\n \* ?/g, " ")
    expect(comment).toContain(`/auth/callback/${id}\``)
    expect(comment).toMatch(/@see https:\/\//)
    expect(comment).toMatch(/[Ss]cope/)
  })
})
