import type { Theme } from "../contract/theme.js"
import { resolveAccent } from "../look/accent.js"
import { blend, type Color, parseColor, toHex } from "../look/color.js"
import { black, contrast, mix, readableOn, textContrast, textOn, white } from "../look/contrast.js"

export type SchemeName = "light" | "dark"

/** Custom properties by name, with a value each. */
export type Tokens = Readonly<Record<`--${string}`, string>>

/** What a link needs on the card. Thin light letters on a dark ground need more than the least that WCAG asks. */
const linkContrast: Readonly<Record<SchemeName, number>> = { light: textContrast, dark: 7 }

/** What a boundary or a mark needs on its background: WCAG 2.2, success criterion 1.4.11. */
const boundaryContrast = 3

const greys = {
  light: {
    "--page": "#f3f5f6",
    "--card": "#ffffff",
    "--line": "#dbe0e3",
    "--text": "#192024",
    "--quiet": "#56626a",
    "--field": "#ffffff",
    "--field-line": "#7f8a91",
    "--surface": "#ffffff",
    "--surface-hover": "#f1f4f5",
    "--surface-active": "#e6eaec",
    "--surface-line": "#c5ccd1",
    "--mark": "#56626a",
    "--mark-text": "#ffffff",
    "--mark-line": "rgb(0 0 0 / .08)",
    "--logo-ground": "transparent",
    "--hint": "#eef3f4",
    "--danger": "#fdf1ef",
    "--danger-line": "#b3261e",
    "--danger-text": "#7a1a14",
  },
  dark: {
    "--page": "#0f1315",
    "--card": "#181d20",
    "--line": "#30383d",
    "--text": "#e7ebee",
    "--quiet": "#a5b0b7",
    "--field": "#11161a",
    "--field-line": "#6f7c84",
    "--surface": "#20272b",
    "--surface-hover": "#293237",
    "--surface-active": "#333d43",
    "--surface-line": "#3d484e",
    "--mark": "#56626a",
    "--mark-text": "#ffffff",
    "--mark-line": "rgb(255 255 255 / .16)",
    "--logo-ground": "#ffffff",
    "--hint": "#20282c",
    "--danger": "#2c1a19",
    "--danger-line": "#f2867b",
    "--danger-text": "#f9c6c0",
  },
} as const

/**
 * The colours of one scheme. `--brand-color` and `--button-text-color` are the contract's names; `--accent` is the
 * brand colour, brought as far towards black or white as a link or a focus ring needs to be seen on the card.
 */
export function tokensFor(scheme: SchemeName, theme: Theme): Tokens {
  const card = scheme === "light" ? white : greyOf("dark", "--card")
  const { fill, text } = resolveAccent(theme, card)
  return {
    ...greys[scheme],
    "--brand-color": toHex(fill),
    "--button-text-color": toHex(text),
    ...pressedTokens(fill, text),
    "--brand-line": toHex(readableOn(fill, card, boundaryContrast)),
    "--accent": toHex(readableOn(fill, card, linkContrast[scheme])),
  }
}

/** A provider's own colour, and what can be read on it. Undefined for what is no colour. */
export function markTokens(color: string | undefined): Tokens | undefined {
  const parsed = parseColor(color ?? "")
  if (!parsed) return undefined
  const fill = blend(parsed, white)
  return { "--mark": toHex(fill), "--mark-text": toHex(textOn(fill)) }
}

/** A provider's colour as its sign is drawn in on a button. Undefined for what is no colour. */
export function inkToken(scheme: SchemeName, color: string | undefined): Tokens | undefined {
  const parsed = parseColor(color ?? "")
  if (!parsed) return undefined
  const surface = greyOf(scheme, "--surface")
  const brand = blend(parsed, surface)
  if (contrast(brand, surface) >= boundaryContrast) return { "--mark-ink": toHex(brand) }
  // A black sign becomes a white one in the dark, not a grey one.
  if (isGrey(brand)) return { "--mark-ink": greys[scheme]["--text"] }
  return { "--mark-ink": toHex(readableOn(brand, surface, boundaryContrast)) }
}

function isGrey({ red, green, blue }: Color): boolean {
  return Math.max(red, green, blue) - Math.min(red, green, blue) < 0.15
}

/** Hovered and pressed fills move away from their text, so that it never gets harder to read. */
function pressedTokens(
  fill: Color,
  text: Color,
): { readonly "--brand-hover": string; readonly "--brand-active": string } {
  const away = contrast(text, black) > contrast(text, white) ? black : white
  return { "--brand-hover": toHex(mix(fill, away, 0.12)), "--brand-active": toHex(mix(fill, away, 0.24)) }
}

function greyOf(scheme: SchemeName, name: keyof (typeof greys)["dark"]): Color {
  return parseColor(greys[scheme][name]) ?? black
}
