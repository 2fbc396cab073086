import {
  black,
  blend,
  type Color,
  contrast,
  mix,
  parseColor,
  readableOn,
  resolveAccent,
  textContrast,
  textOn,
  toHex,
  white,
} from "../theme/color.js"
import type { Theme } from "../types/basics.js"

/** The look of the built-in pages, with what the host chose. */
export interface Stylesheet {
  readonly text: string
  /** Changes with the text, so that browsers may keep each version for good. */
  readonly version: string
}

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

type SchemeName = "light" | "dark"

/** Custom properties by name, with a value each. */
type Tokens = Readonly<Record<`--${string}`, string>>

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
function tokensFor(scheme: SchemeName, theme: Theme): Tokens {
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
function markTokens(color: string | undefined): Tokens | undefined {
  const parsed = parseColor(color ?? "")
  if (!parsed) return undefined
  const fill = blend(parsed, white)
  return { "--mark": toHex(fill), "--mark-text": toHex(textOn(fill)) }
}

/** A provider's colour as its sign is drawn in on a button. Undefined for what is no colour. */
function inkToken(scheme: SchemeName, color: string | undefined): Tokens | undefined {
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

/**
 * Everything in the stylesheet that no host changes. Sizes are in rem, in steps of a quarter (4 px), so that a larger
 * text of the visitor's browser enlarges all; directions are logical, for languages from right to left.
 */
const stylesheetRules = `
*,::before,::after{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;padding-inline:1rem;min-height:100vh;min-height:100dvh;
display:grid;justify-content:center;grid-template-columns:minmax(0,24rem);
grid-template-rows:minmax(1.5rem,2fr) auto auto minmax(1.5rem,3fr);
background:var(--page);color:var(--text);
font:100%/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Liberation Sans",Arial,sans-serif;
overflow-wrap:anywhere}
h1,h2,p,ul{margin:0}
code{font:.875em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}

.site{grid-row:2;display:flex;justify-content:center;margin-block-end:1.25rem}
.site-link{display:flex;align-items:center;min-height:2.75rem;padding-inline:.5rem;border-radius:.5rem;
color:var(--text);font-weight:600;text-align:center;text-decoration:none}
.site-link:hover{text-decoration:underline;text-underline-offset:.25em}
.site-logo{display:block;max-width:100%;max-height:3rem}

.card{grid-row:3;align-self:start;display:flex;flex-direction:column;gap:1rem;padding:2rem;
border:1px solid var(--line);border-radius:.5rem;background:var(--card)}
.heading{font-size:1.375rem;line-height:1.75rem;font-weight:600;letter-spacing:-.01em;text-wrap:balance}
.quiet{color:var(--quiet)}

.notice{padding:.75rem 1rem;border-radius:.25rem;border-inline-start:.25rem solid var(--danger-line);
background:var(--danger);color:var(--danger-text)}
.notice-hint{border-inline-start-color:var(--accent);background:var(--hint);color:var(--text)}
.notice-heading{font-weight:600}

.form,.field{display:flex;flex-direction:column}
.form{gap:1rem}
.field{gap:.25rem}
.label{font-weight:500}
.input{width:100%;min-height:2.75rem;padding:.5rem .75rem;border:1px solid var(--field-line);border-radius:.5rem;
background:var(--field);color:var(--text);font:inherit}
.input::placeholder{color:var(--quiet);opacity:1}
.input:hover{border-color:var(--text)}
.input:focus-visible{outline-offset:0;border-color:var(--accent)}
.input:disabled{opacity:.6;cursor:not-allowed}
.input[aria-invalid=true]{border-color:var(--danger-line)}
.field-box{flex-direction:row-reverse;justify-content:flex-end;align-items:center;gap:.75rem;min-height:2.75rem}
.field-box .input{flex:none;width:1.25rem;min-height:1.25rem;height:1.25rem;margin:0;padding:0;accent-color:var(--accent)}

.button{display:flex;align-items:center;justify-content:center;gap:.75rem;width:100%;min-height:2.75rem;
padding:.5rem 1rem;border:1px solid var(--surface-line);border-radius:.5rem;
background:var(--surface);color:var(--text);
font:inherit;font-weight:500;text-align:center;text-decoration:none;cursor:pointer}
.button:hover{background:var(--surface-hover)}
.button:active{background:var(--surface-active)}
.button-primary{border-color:var(--brand-line);background:var(--brand-color);color:var(--button-text-color);font-weight:600}
.button-primary:hover{background:var(--brand-hover)}
.button-primary:active{background:var(--brand-active)}
.button-provider{justify-content:flex-start;padding-inline:.75rem;text-align:start}
.button:disabled{opacity:.6;cursor:not-allowed}
.button[aria-busy=true]{opacity:.75;cursor:progress}
.button-text{min-width:0}

[hidden]{display:none!important}
.passkey{display:flex;flex-direction:column;gap:.5rem}
.passkey .more>.form{padding-block-end:.5rem}
@media (scripting:none){.passkey>:not(noscript){display:none}}

.providers,.ways{display:flex;flex-direction:column;gap:.5rem}
.ways{margin-block-start:.5rem}
.form + .ways{margin-block-start:-.5rem}
.mark{flex:none;width:1.5rem;height:1.5rem;border-radius:.25rem;object-fit:contain}
/* Most logos are drawn for a light ground. */
img.mark{padding:.125rem;background:var(--logo-ground)}
.mark-drawn{padding:.0625rem;color:var(--mark-ink,var(--quiet))}
.mark-letter{display:grid;place-items:center;background:var(--mark);color:var(--mark-text);
box-shadow:inset 0 0 0 1px var(--mark-line);font-size:.8125rem;line-height:1;font-weight:700}
.mark-letter::before{content:attr(data-letter)}

.divider{display:flex;align-items:center;gap:.75rem;color:var(--quiet);font-size:.875rem;line-height:1.25rem}
.divider::before,.divider::after{content:"";flex:1;border-block-start:1px solid var(--line)}

.more-summary{display:flex;align-items:center;justify-content:center;gap:.5rem;min-height:2.75rem;padding:.5rem 1rem;
border-radius:.5rem;color:var(--accent);font-weight:500;text-align:center;cursor:pointer;list-style:none}
.more-summary::-webkit-details-marker{display:none}
.more-summary::after{content:"";flex:none;width:.5rem;height:.5rem;margin-block-start:-.25rem;
border-inline-end:2px solid;border-block-end:2px solid;transform:rotate(45deg)}
[dir=rtl] .more-summary::after{transform:rotate(-45deg)}
.more-summary:hover{background:var(--surface-hover)}
.more-summary:active{background:var(--surface-active)}
.more[open]>.more-summary{margin-block-end:.5rem}
.more[open]>.more-summary::after{margin-block-start:.25rem;transform:rotate(225deg)}

.reference{color:var(--quiet);font-size:.875rem;line-height:1.25rem;font-variant-numeric:tabular-nums}
.developer{display:flex;flex-direction:column;gap:.5rem;padding:1rem;border:1px dashed var(--field-line);border-radius:.5rem;
font-size:.875rem;line-height:1.25rem}
.developer-heading{font-size:.875rem;line-height:1.25rem;font-weight:600}
.developer-audience{color:var(--quiet)}
.developer-message code{display:block;font-weight:600}
.developer-causes{padding-inline-start:1.25rem}

@media (max-width:25rem){.card{padding:1.25rem}}
@media (prefers-reduced-motion:no-preference){
.button,.input,.more-summary{transition:background-color .12s ease-out,border-color .12s ease-out}}
@media (forced-colors:active){.mark-letter,.notice{border:1px solid}}
`
