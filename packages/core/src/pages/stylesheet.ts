import { type Awaitable, isFontFamily, type Theme } from "../types/basics.js"
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
} from "./theme/color.js"

/** The stylesheet of the built-in pages, with the host's theme. */
export interface Stylesheet {
  /** Another one for each text, so that browsers may cache each version forever. */
  readonly version: string
  /** Whether pages have password fields. */
  readonly hasPasswords: boolean
  /** Rendered with its first request. The pages of features need every rule, whatever the sign-in page shows. */
  readonly text: (extent?: "whole") => Awaitable<string>
}

export interface StylesheetContent {
  readonly theme: StylesheetTheme
  readonly providers: readonly ProviderColors[]
  /** What the sign-in page has besides a single form. Default: everything. */
  readonly has?: PageParts
}

/** Parts of the sign-in page that have rules of their own. Its first visit is the slowest, so it loads no others. */
export interface PageParts {
  /** Buttons of providers. */
  readonly providers: boolean
  readonly passkey: boolean
  /** More ways than fit on the page at once: a part is folded, or in a second step. */
  readonly steps: boolean
  readonly password: boolean
}

const everyPart: PageParts = { providers: true, passkey: true, steps: true, password: true }

/** The options of the theme that the stylesheet depends on. */
export type StylesheetTheme = {
  readonly [Option in
    | "colorScheme"
    | "brandColor"
    | "buttonText"
    | "cornerRadius"
    | "fontFamily"
    | "layout"
    | "links"]?: Theme[Option] | undefined
}

/** The provider's part of the stylesheet. */
export interface ProviderColors {
  readonly id: string
  /** A CSS color for the provider's mark. */
  readonly brandColor?: string | undefined
}

/**
 * The stylesheet of the built-in pages. Light and dark follow the user's system unless the theme sets one. Of the host's
 * values only parsed colors are written to it; invalid ones are ignored.
 */
export function renderStylesheet({ theme, providers, has = everyPart }: StylesheetContent): string {
  return [
    ...schemeRules(theme, has),
    ...providerRules(theme, providers),
    fixedRules,
    has.providers ? markRules : "",
    has.passkey ? passkeyRules : "",
    has.steps ? stepRules : "",
    has.password ? passwordRules : "",
    shapeRule(theme),
    theme.layout === "plain" ? plainRule : "",
    theme.links ? linkRules : "",
  ].join("\n")
}

function shapeRule({ cornerRadius = 8, fontFamily }: StylesheetTheme): string {
  const own = isFontFamily(fontFamily) ? `${fontFamily},` : ""
  return rule("body", { "--radius": `${cornerRadius / 16}rem`, "--font": own + systemFonts })
}

const systemFonts = "system-ui,sans-serif"

/** Colors are computed for the card, so that a plain page has its color. */
const plainRule = "body{background:var(--card)}.card{padding-inline:0;padding-block:0;border:0}"

/** Below the card, in a row of the page's grid that is otherwise empty. */
const linkRules =
  ".site-links{grid-row:4;display:flex;flex-wrap:wrap;justify-content:center;align-self:start;gap:0 1.25rem;margin-block:1rem;font-size:.875rem}" +
  ".site-links .link{display:flex;align-items:center;min-height:1.5rem;color:var(--quiet)}"

function schemeRules(theme: StylesheetTheme, has: PageParts): readonly string[] {
  const light = { ...schemeTokens("light", theme), ...(has.providers && markPalettes.light) }
  const dark = { ...schemeTokens("dark", theme), ...(has.providers && markPalettes.dark) }
  if (theme.colorScheme === "light") return [rule(":root", { "color-scheme": "light", ...light })]
  if (theme.colorScheme === "dark") return [rule(":root", { "color-scheme": "dark", ...dark })]
  return [rule(":root", { "color-scheme": "light dark", ...light }), `${darkMedia}{${rule(":root", dark)}}`]
}

function providerRules({ colorScheme }: StylesheetTheme, providers: readonly ProviderColors[]): readonly string[] {
  const isFixed = colorScheme === "light" || colorScheme === "dark"
  const rules = providers.flatMap(({ id, brandColor }) =>
    providerRule(id, { ...markTokens(brandColor), ...markInkToken(isFixed ? colorScheme : "light", brandColor) }),
  )
  if (isFixed) return rules
  const dark = providers.flatMap(({ id, brandColor }) => providerRule(id, { ...markInkToken("dark", brandColor) }))
  return dark.length === 0 ? rules : [...rules, `${darkMedia}{${dark.join("")}}`]
}

const darkMedia = "@media (prefers-color-scheme:dark)"

/** No rule without tokens. */
function providerRule(id: string, tokens: Tokens): readonly string[] {
  return Object.keys(tokens).length === 0 ? [] : [rule(`[data-provider="${escapeString(id)}"]`, tokens)]
}

function rule(selector: string, declarations: Readonly<Record<string, string>>): string {
  const lines = Object.entries(declarations).map(([name, value]) => `${name}:${value}`)
  return `${selector}{${lines.join(";")}}`
}

/** CSS Syntax 3 section 4.3.7: any character can be written as its code point. */
function escapeString(text: string): string {
  return text.replace(/[^\w-]/gu, (character) => `\\${(character.codePointAt(0) ?? 0).toString(16)} `)
}

type SchemeName = "light" | "dark"

/** Custom properties and their values. */
type Tokens = Readonly<Record<`--${string}`, string>>

const palettes = {
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
    "--hint": "#20282c",
    "--danger": "#2c1a19",
    "--danger-line": "#f2867b",
    "--danger-text": "#f9c6c0",
  },
} as const

/** The colors of the marks of providers. */
const markPalettes = {
  light: {
    "--mark": "#56626a",
    "--mark-text": "#ffffff",
    "--mark-line": "rgb(0 0 0 / .08)",
    "--logo-background": "transparent",
  },
  dark: {
    "--mark": "#56626a",
    "--mark-text": "#ffffff",
    "--mark-line": "rgb(255 255 255 / .16)",
    "--logo-background": "#ffffff",
  },
} as const

/** Minimum contrast of a boundary or a mark with its background: WCAG 2.2, success criterion 1.4.11. */
const boundaryContrast = 3

/** Minimum contrast of a link on the card. Thin light letters on a dark background need more than WCAG requires. */
const linkContrast: Readonly<Record<SchemeName, number>> = { light: textContrast, dark: 7 }

/**
 * The colors of one scheme. `--brand-color` and `--button-text-color` are names from the contract. `--accent` is the
 * brand color, moved toward black or white until links and focus rings are visible on the card.
 */
function schemeTokens(scheme: SchemeName, theme: StylesheetTheme): Tokens {
  const card = scheme === "light" ? white : paletteColor("dark", "--card")
  const { fill, text } = resolveAccent(theme, card)
  // Hovered and pressed buttons move away from the color of their text, so that it stays readable.
  const away = contrast(text, black) > contrast(text, white) ? black : white
  return {
    ...palettes[scheme],
    "--brand-color": toHex(fill),
    "--button-text-color": toHex(text),
    "--brand-hover": toHex(mix(fill, away, 0.12)),
    "--brand-active": toHex(mix(fill, away, 0.24)),
    "--brand-line": toHex(readableOn(fill, card, boundaryContrast)),
    "--accent": toHex(readableOn(fill, card, linkContrast[scheme])),
  }
}

/** The background of a provider's letter mark and a readable text color. Undefined without a valid color. */
function markTokens(color: string | undefined): Tokens | undefined {
  const parsed = parseColor(color ?? "")
  if (!parsed) return undefined
  const fill = blend(parsed, white)
  return { "--mark": toHex(fill), "--mark-text": toHex(textOn(fill)) }
}

/** The color of a provider's SVG mark on its button. Undefined without a valid color. */
function markInkToken(scheme: SchemeName, color: string | undefined): Tokens | undefined {
  const parsed = parseColor(color ?? "")
  if (!parsed) return undefined
  const surface = paletteColor(scheme, "--surface")
  const brand = blend(parsed, surface)
  if (contrast(brand, surface) >= boundaryContrast) return { "--mark-ink": toHex(brand) }
  // A black mark becomes white in the dark scheme, not gray.
  if (isGray(brand)) return { "--mark-ink": palettes[scheme]["--text"] }
  return { "--mark-ink": toHex(readableOn(brand, surface, boundaryContrast)) }
}

function isGray({ red, green, blue }: Color): boolean {
  return Math.max(red, green, blue) - Math.min(red, green, blue) < 0.15
}

function paletteColor(scheme: SchemeName, name: keyof (typeof palettes)["dark"]): Color {
  return parseColor(palettes[scheme][name]) ?? black
}

/**
 * The rules that do not depend on the host. Sizes are in rem, in steps of a quarter (4 px), so that everything grows with
 * the browser's text size; directions are logical, for right-to-left languages.
 */
const fixedRules = `
*,::before,::after{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;padding-inline:1rem;min-height:100vh;min-height:100dvh;
display:grid;justify-content:center;grid-template-columns:minmax(0,24rem);
grid-template-rows:minmax(1.5rem,2fr) auto auto minmax(1.5rem,3fr);
background:var(--page);color:var(--text);
font:100%/1.5 var(--font);
overflow-wrap:anywhere}
h1,h2,p,ul{margin:0}
code{font:.875em/1.5 ui-monospace,Menlo,Consolas,monospace}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}

.site{grid-row:2;display:flex;justify-content:center;margin-block-end:1.25rem}
.site-link{display:flex;align-items:center;min-height:2.75rem;padding-inline:.5rem;border-radius:var(--radius);
color:var(--text);font-weight:600;text-align:center;text-decoration:none}
.site-link:hover{text-decoration:underline;text-underline-offset:.25em}
.site-logo{display:block;max-width:100%;max-height:3rem}

.card{grid-row:3;align-self:start;display:flex;flex-direction:column;gap:1rem;padding:2rem;
border:1px solid var(--line);border-radius:var(--radius);background:var(--card)}
.heading{font-size:1.375rem;line-height:1.75rem;font-weight:600;letter-spacing:-.01em;text-wrap:balance}
.quiet{color:var(--quiet)}

.notice{padding:.75rem 1rem;border-radius:min(.25rem,var(--radius));border-inline-start:.25rem solid var(--danger-line);
background:var(--danger);color:var(--danger-text)}
.notice-hint{border-inline-start-color:var(--accent);background:var(--hint);color:var(--text)}
.notice-heading{font-weight:600}
.notice-links{display:flex;flex-wrap:wrap;gap:0 1rem}

.form,.field{display:flex;flex-direction:column}
.form{gap:1rem}
.field{gap:.25rem}
.label{font-weight:500}
.input{width:100%;min-height:2.75rem;padding:.5rem .75rem;border:1px solid var(--field-line);border-radius:var(--radius);
background:var(--field);color:var(--text);font:inherit}
.input::placeholder{color:var(--quiet);opacity:1}
.input:hover{border-color:var(--text)}
.input:focus-visible{outline-offset:0;border-color:var(--accent)}
.input:disabled{opacity:.6;cursor:not-allowed}
.input[aria-invalid=true]{border-color:var(--danger-line)}
.field-box{flex-direction:row-reverse;justify-content:flex-end;align-items:center;gap:.75rem;min-height:2.75rem}
.field-box .input{flex:none;width:1.25rem;min-height:1.25rem;height:1.25rem;margin:0;padding:0;accent-color:var(--accent)}
.one-time-code{font-size:2rem;line-height:2.5rem;font-weight:600;letter-spacing:.125em;font-variant-numeric:tabular-nums}
.input[autocomplete=one-time-code]{font-size:1.25rem;letter-spacing:.125em;font-variant-numeric:tabular-nums}

.button{display:flex;align-items:center;justify-content:center;gap:.75rem;width:100%;min-height:2.75rem;
padding:.5rem 1rem;border:1px solid var(--surface-line);border-radius:var(--radius);
background:var(--surface);color:var(--text);
font:inherit;font-weight:500;text-align:center;text-decoration:none;cursor:pointer}
.button:hover{background:var(--surface-hover)}
.button:active{background:var(--surface-active)}
.button-primary{border-color:var(--brand-line);background:var(--brand-color);color:var(--button-text-color);font-weight:600}
.button-primary:hover{background:var(--brand-hover)}
.button-primary:active{background:var(--brand-active)}
.button:disabled{opacity:.6;cursor:not-allowed}
.button[aria-busy=true]{opacity:.75;cursor:progress}
.button-text{min-width:0}

.next-steps{display:flex;flex-direction:column;gap:.5rem;margin-block-start:.5rem}
.form + .next-steps{margin-block-start:-.5rem}
.link{align-self:center;padding-block:.125rem;color:var(--accent);text-underline-offset:.25em}
.divider{display:flex;align-items:center;gap:.75rem;color:var(--quiet);font-size:.875rem;line-height:1.25rem}
.divider::before,.divider::after{content:"";flex:1;border-block-start:1px solid var(--line)}

.reference{color:var(--quiet);font-size:.875rem;line-height:1.25rem;font-variant-numeric:tabular-nums}
.developer{display:flex;flex-direction:column;gap:.5rem;padding:1rem;border:1px dashed var(--field-line);border-radius:var(--radius);
font-size:.875rem;line-height:1.25rem}
.developer h2{font:inherit;font-weight:600}
.developer code{display:block;font-weight:600}
.developer ul{padding-inline-start:1.25rem}
@media (max-width:25rem){.card{padding:1.25rem}}
@media (prefers-reduced-motion:no-preference){.button,.input,summary{transition:background-color .12s}}
@media (forced-colors:active){.notice{border:1px solid}}
`

const markRules = `
.providers{display:flex;flex-direction:column;gap:.5rem}
.button-provider{justify-content:flex-start;padding-inline:.75rem;text-align:start}
.mark{flex:none;width:1.5rem;height:1.5rem;border-radius:min(.25rem,var(--radius));object-fit:contain}
img.mark{padding:.125rem;background:var(--logo-background)}
.mark-drawn{padding:.0625rem;color:var(--mark-ink,var(--quiet))}
.mark-letter{display:grid;place-items:center;background:var(--mark);color:var(--mark-text);
box-shadow:inset 0 0 0 1px var(--mark-line);font-size:.8125rem;line-height:1;font-weight:700}
.mark-letter::before{content:attr(data-letter)}
.last-used{margin-inline-start:auto;color:var(--quiet);font-size:.875rem;font-weight:400}
@media (forced-colors:active){.mark-letter{border:1px solid}}
`

const passkeyRules = `
[hidden]{display:none!important}
.passkey{display:flex;flex-direction:column;gap:.5rem}
.passkey .more>.form{padding-block-end:.5rem}
@media (scripting:none){.passkey>:not(noscript){display:none}}
`

const stepRules = `
.steps{display:flex;flex-direction:column;gap:.75rem}
.person,.filter{display:grid;grid-template-columns:1fr auto;align-items:end;column-gap:1rem}
.person .input{border-color:transparent;background:var(--hint)}
.person .link{display:flex;align-items:center;align-self:end;min-height:2.75rem}
.filter{column-gap:.5rem;margin-block-end:.5rem}
.more-summary{display:flex;align-items:center;justify-content:center;gap:.5rem;min-height:2.75rem;padding:.5rem 1rem;
border-radius:var(--radius);color:var(--accent);font-weight:500;text-align:center;cursor:pointer;list-style:none}
.more-summary::-webkit-details-marker{display:none}
.more-summary::after{content:"";flex:none;width:.5rem;height:.5rem;margin-block-start:-.25rem;
border-right:2px solid;border-bottom:2px solid;transform:rotate(45deg)}
.more-summary:hover{background:var(--surface-hover)}
.more-summary:active{background:var(--surface-active)}
.more[open]>.more-summary{margin-block-end:.5rem}
.more[open]>.more-summary::after{margin-block-start:.25rem;transform:rotate(225deg)}
`

/** What the script of password fields adds: an eye that closes, and a hint between two fields, so that nothing moves. */
const passwordRules = `
.field{position:relative}
.reveal{position:absolute;inset-block-end:0;inset-inline-end:0;width:2.75rem;height:2.75rem;
padding:0;border:0;border-radius:var(--radius);background:none;color:var(--quiet);cursor:pointer}
.reveal::before{content:"";display:block;width:1.25rem;height:.75rem;margin:auto;border:2px solid;border-radius:50%;
background:radial-gradient(circle,currentcolor 2px,transparent 3px)}
.reveal[aria-pressed=true]::before{border-top-color:transparent;background:none}
.reveal + span{position:absolute;inset-block-start:100%;color:var(--quiet);font-size:.75rem;line-height:1rem}
.input:has(+.reveal){padding-inline-end:2.75rem}
.input::-ms-reveal{display:none}
`
