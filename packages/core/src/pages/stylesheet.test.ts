import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { renderStylesheet } from "./stylesheet.js"
import { black, type Color, contrast, parseColor } from "./theme/color.js"

const plain = renderStylesheet({ theme: {}, providers: [] })

/** Lookups for the colors of each scheme in the stylesheet, in source order. */
function schemes(css: string): readonly ((name: string) => Color)[] {
  const blocks = Array.from(css.matchAll(/:root\{([^}]*)\}/g), ([, body = ""]) => body)
  return blocks.map((body) => (name) => parseColor(new RegExp(`${name}:([^;]*)`).exec(body)?.[1] ?? "") ?? black)
}

const grounds = [
  ["--text", "--page"],
  ["--text", "--card"],
  ["--text", "--surface-active"],
  ["--text", "--field"],
  ["--text", "--hint"],
  ["--quiet", "--card"],
  ["--quiet", "--field"],
  ["--danger-text", "--danger"],
  // Buttons of the account area that take something away.
  ["--danger-text", "--surface-active"],
  ["--card", "--danger-line"],
  ["--card", "--danger-text"],
  ["--mark-text", "--mark"],
  ["--accent", "--card"],
  ["--button-text-color", "--brand-color"],
  ["--button-text-color", "--brand-hover"],
  ["--button-text-color", "--brand-active"],
] as const

describe("renderStylesheet", () => {
  it("ignores theme values that are not colors", () => {
    const theme = { brandColor: "red}</style><script>1</script>", buttonText: "};@import url(//evil.test)" }
    expect(renderStylesheet({ theme, providers: [{ id: "github", brandColor: "red;x:url(y)" }] })).toBe(plain)
  })

  it("ignores shapes that are not valid, and writes none of their text", () => {
    // as: untyped hosts may pass anything, and the stylesheet is served while the configuration is invalid.
    const theme = { fontFamily: "x;}@import url(//evil.test)", layout: "constructor", cornerRadius: "1}*{" } as object
    const css = renderStylesheet({ theme, providers: [] })
    expect(css).not.toMatch(/evil|function|1\}\*/)
    expect(css).toContain("--font:system-ui")
  })

  it("writes the corners, the font and the layout of the theme", () => {
    const theme = { cornerRadius: 0, fontFamily: '"Avenir Next", Georgia', layout: "plain" } as const
    const css = renderStylesheet({ theme, providers: [] })
    expect(css).toContain('--radius:0rem;--font:"Avenir Next", Georgia,system-ui')
    expect(css).toContain("body{background:var(--card)}")
    expect(plain).toContain("--radius:0.5rem;--font:system-ui")
    expect(plain).not.toContain("body{background:var(--card)}")
  })

  it("keeps text on buttons readable, whatever color the app gives it", () => {
    const color = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, "0")}`)
    fc.assert(
      fc.property(color, color, (brandColor, buttonText) => {
        for (const find of schemes(renderStylesheet({ theme: { brandColor, buttonText }, providers: [] }))) {
          expect(contrast(find("--button-text-color"), find("--brand-color"))).toBeGreaterThanOrEqual(4.5)
        }
      }),
    )
  })

  it("escapes provider ids in selectors", () => {
    const braces = (css: string): number => css.split(/[{}"]/).length
    const expected = braces(renderStylesheet({ theme: {}, providers: [{ id: "x", brandColor: "red" }] }))
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.constantFrom('x"]{}*{', "a\\", "a\nb")), (id) => {
        const css = renderStylesheet({ theme: {}, providers: [{ id, brandColor: "red" }] })
        expect(braces(css)).toBe(expected)
        expect(css).toMatch(/\[data-provider="(?:[\w-]|\\[0-9a-f]+ )*"\]\{/)
      }),
    )
  })

  it("loads no other resources", () => {
    expect(plain).not.toMatch(/url\(|@import|@font-face/)
  })

  it("follows the user's system unless the theme sets a scheme", () => {
    expect(plain).toContain("@media (prefers-color-scheme:dark){:root{")
    for (const colorScheme of ["light", "dark"] as const) {
      const css = renderStylesheet({ theme: { colorScheme }, providers: [] })
      expect(css).toContain(`:root{color-scheme:${colorScheme};`)
      expect(css).not.toContain("prefers-color-scheme")
    }
  })

  it.each(grounds)("keeps %s readable on %s in both schemes", (ink, ground) => {
    expect(schemes(plain)).toHaveLength(2)
    for (const color of schemes(plain)) {
      expect(contrast(color(ink), color(ground))).toBeGreaterThanOrEqual(4.5)
    }
  })

  it("keeps the border of a field visible in both schemes", () => {
    for (const color of schemes(plain)) {
      expect(contrast(color("--field-line"), color("--card"))).toBeGreaterThanOrEqual(3)
      expect(contrast(color("--field-line"), color("--field"))).toBeGreaterThanOrEqual(3)
      expect(contrast(color("--danger-line"), color("--card"))).toBeGreaterThanOrEqual(3)
    }
  })

  it("stays readable with any brand color", () => {
    const channel = fc.integer({ min: 0, max: 255 })
    fc.assert(
      fc.property(channel, channel, channel, (red, green, blue) => {
        const css = renderStylesheet({ theme: { brandColor: `rgb(${red} ${green} ${blue})` }, providers: [] })
        for (const color of schemes(css)) {
          expect(contrast(color("--button-text-color"), color("--brand-color"))).toBeGreaterThan(4.4)
          expect(contrast(color("--accent"), color("--card"))).toBeGreaterThan(4.4)
          expect(contrast(color("--brand-line"), color("--card"))).toBeGreaterThan(2.9)
        }
      }),
    )
  })

  it("sets the contract's custom properties to the app's colors", () => {
    const css = renderStylesheet({ theme: { brandColor: "rebeccapurple", buttonText: "#FFE" }, providers: [] })
    expect(css).toContain("--brand-color:#663399;--button-text-color:#ffffee")
  })

  it("colors a provider's mark, and ignores invalid colors", () => {
    const mark = renderStylesheet({ theme: {}, providers: [{ id: "spotify", brandColor: "#1DB954" }] })
    expect(mark).toContain('[data-provider="spotify"]{--mark:#1db954;--mark-text:#000000;--mark-ink:')
    const none = renderStylesheet({ theme: {}, providers: [{ id: "spotify", brandColor: "red}" }, { id: "plain" }] })
    expect(none).not.toContain("data-provider")
  })

  it.each(["#000", "#24292f", "#fff", "#FFE812", "#1877F2", "#39134c", "#767676"])(
    "keeps a mark of the color %s visible in both schemes",
    (brandColor) => {
      const sheet = (colorScheme: "light" | "dark") =>
        renderStylesheet({ theme: { colorScheme }, providers: [{ id: "a", brandColor }] })
      for (const css of [sheet("light"), sheet("dark")]) {
        const [surface] = schemes(css).map((color) => color("--surface"))
        const ink = parseColor(/--mark-ink:([^;}]*)/.exec(css)?.[1] ?? "") ?? black
        expect(contrast(ink, surface ?? black)).toBeGreaterThanOrEqual(3)
      }
    },
  )

  it("draws a mark in a color for each scheme", () => {
    const css = renderStylesheet({ theme: {}, providers: [{ id: "a", brandColor: "#24292f" }] })
    expect(css).toContain("--mark-ink:#24292f}")
    expect(css).toContain('@media (prefers-color-scheme:dark){[data-provider="a"]{--mark-ink:#e7ebee}}')
  })
})
