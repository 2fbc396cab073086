import type { Theme } from "../contract/theme.js"
import { inkToken, markTokens, tokensFor } from "./palette.js"
import { stylesheetRules } from "./stylesheet-rules.js"

/** A provider's share in the stylesheet. */
export interface ProviderColors {
  readonly id: string
  /** A CSS colour, for the mark. */
  readonly brandColor?: string | undefined
}

export interface StylesheetContent {
  readonly theme: Theme
  readonly providers: readonly ProviderColors[]
}

/**
 * The one stylesheet of the built-in pages. Light and dark follow the visitor's system unless the theme fixes one. Of
 * the host's values only colours get in, and those as numbers; anything else counts as not given.
 */
export function renderStylesheet({ theme, providers }: StylesheetContent): string {
  return [...schemeRules(theme), ...providerRules(theme, providers), stylesheetRules].join("\n")
}

function schemeRules(theme: Theme): readonly string[] {
  const light = tokensFor("light", theme)
  const dark = tokensFor("dark", theme)
  if (theme.colorScheme === "light") return [block(":root", { "color-scheme": "light", ...light })]
  if (theme.colorScheme === "dark") return [block(":root", { "color-scheme": "dark", ...dark })]
  return [
    block(":root", { "color-scheme": "light dark", ...light }),
    `@media (prefers-color-scheme:dark){${block(":root", dark)}}`,
  ]
}

function providerRules({ colorScheme }: Theme, providers: readonly ProviderColors[]): readonly string[] {
  const isFixed = colorScheme === "light" || colorScheme === "dark"
  const rules = providers.flatMap(({ id, brandColor }) =>
    providerRule(id, { ...markTokens(brandColor), ...inkToken(isFixed ? colorScheme : "light", brandColor) }),
  )
  return isFixed ? rules : [...rules, ...darkRules(providers)]
}

function darkRules(providers: readonly ProviderColors[]): readonly string[] {
  const rules = providers.flatMap(({ id, brandColor }) => providerRule(id, inkToken("dark", brandColor) ?? {}))
  return rules.length === 0 ? [] : [`@media (prefers-color-scheme:dark){${rules.join("")}}`]
}

function providerRule(id: string, tokens: Readonly<Record<string, string>>): readonly string[] {
  return Object.keys(tokens).length === 0 ? [] : [block(`[data-provider="${escapeString(id)}"]`, tokens)]
}

function block(selector: string, declarations: Readonly<Record<string, string>>): string {
  const lines = Object.entries(declarations).map(([name, value]) => `${name}:${value}`)
  return `${selector}{${lines.join(";")}}`
}

/** CSS Syntax 3 section 4.3.7: any character may be written as its number. */
function escapeString(text: string): string {
  return text.replace(/[^\w-]/gu, (character) => `\\${(character.codePointAt(0) ?? 0).toString(16)} `)
}
