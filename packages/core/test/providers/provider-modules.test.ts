import { readFileSync } from "node:fs"
import * as icons from "simple-icons"
import { describe, expect, it } from "vitest"
import { resolveProvider } from "../../src/config/providers.js"
import { ProviderMark } from "../../src/pages/document.js"
import { renderToString } from "../../src/pages/markup/jsx-runtime.js"
import { type Color, contrast, parseColor, textOn } from "../../src/pages/theme/color.js"
import { type NamedFacts, providerFacts } from "./provider-facts.js"
import { clientOptions, createProvider, importFactory, moduleFiles, moduleUrl } from "./provider-modules.js"

const rows = providerFacts.map((facts): readonly [string, NamedFacts] => [facts.file, facts])
const simpleIcons = new Set(Object.values(icons).flatMap((icon) => ("path" in icon ? icon.path : [])))
const decision = readFileSync(new URL("../../../../docs/decisions/provider-logos.md", import.meta.url), "utf8")
const listIds = (start: string): readonly string[] => {
  const [, listed = ""] = new RegExp(`${start}:\\s([^.]+)\\.`).exec(decision) ?? []
  return [...listed.matchAll(/`([\w-]+)`/g)].flatMap(([, id]) => id ?? [])
}
/** The providers with a mark that is no verbatim copy from `simple-icons`. */
const otherMarks = new Set([
  ...[
    ...decision.matchAll(/^\| `([\w-]+)` \| (?:`[\w@/-]+` [\d.]+, `[\w-]+` \((?:CC0 1\.0|MIT|ISC)\)|as `[\w-]+`) \|/gm),
  ].map(([, id]) => id),
  ...listIds("and shortened"),
])
const withoutMark = listIds("Without a mark")

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

  it.each(rows)("%s has a mark with a stated source, or is listed as one without", async (_, facts) => {
    const { style } = await createProvider(facts)
    if (style?.mark === undefined) return expect(withoutMark).toContain(facts.id)
    expect(withoutMark).not.toContain(facts.id)
    expect(typeof style.mark === "string" && simpleIcons.has(style.mark)).toBe(!otherMarks.has(facts.id))
  })

  it.each(rows)("%s has a small mark that consists of paths alone", async (_, facts) => {
    const { style, name } = await createProvider(facts)
    const { mark } = style ?? {}
    if (mark === undefined) return
    const svg = renderToString(ProviderMark({ name, logo: undefined, mark }))
    expect(svg).toMatch(
      /^<svg class="[\w -]+" viewBox="0 0 24 24" aria-hidden="true">(?:<path fill="[^"]+" d="[^"]+"\/?>(?:<\/path>)?)+<\/svg>$/,
    )
    const parts = typeof mark === "string" ? [{ path: mark, color: "currentColor" }] : mark
    for (const { path, color } of parts) {
      expect(path).toMatch(/^[Mm][\d\s.,MmLlHhVvCcSsQqTtAaZz-]+$/)
      expect(color).toMatch(/^(?:currentColor|#[\da-f]{3}|#[\da-f]{6})$/)
    }
    expect(parts.reduce((length, { path }) => length + path.length, 0)).toBeLessThanOrEqual(1_700)
  })

  it.each(rows)("%s has a mark that is visible in light and dark mode", async (_, facts) => {
    const { mark } = (await createProvider(facts)).style ?? {}
    // The stylesheet adjusts the color of a mark in one color.
    if (mark === undefined || typeof mark === "string") return
    for (const surface of ["#ffffff", "#20272b"]) {
      const contrasts = mark.map(({ color }) => contrast(toColor(color), toColor(surface)))
      expect(Math.max(...contrasts)).toBeGreaterThanOrEqual(3)
    }
  })

  it("has no mark of another provider", async () => {
    const marks = new Map<string, string[]>()
    for (const facts of providerFacts) {
      const mark = JSON.stringify((await createProvider(facts)).style?.mark)
      if (mark !== undefined) marks.set(mark, [...(marks.get(mark) ?? []), facts.id])
    }
    expect([...marks.values()].filter(({ length }) => length > 1)).toEqual([["azure-ad", "microsoft-entra-id"]])
  })

  it.each(rows)("%s has a brand color with readable text", async (_, facts) => {
    const { style } = await createProvider(facts)
    if (style?.brandColor === undefined) return expect(withoutMark).toContain(facts.id)
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

function toColor(text: string): Color {
  const color = parseColor(text)
  if (!color) throw new Error(`${text} is not a color`)
  return color
}
