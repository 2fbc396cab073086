import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  black,
  blend,
  type Color,
  contrast,
  parseColor,
  readableOn,
  textContrast,
  textOn,
  toHex,
  white,
} from "./color.js"

const hexOf = (text: string): string | null => {
  const color = parseColor(text)
  return color && toHex(color)
}

describe("parseColor", () => {
  it.each([
    "",
    "red}</style><script>1</script>",
    'red"><script>',
    "url(https://evil.test/x)",
    "var(--x)",
    "expression(alert(1))",
    "#12",
    "#12345",
    "#ggg",
    "rgb(1 2)",
    "rgb(1 2 3 4 5)",
    "rgb(1 2 x)",
    "rgb(1 2 3);color:red",
    "constructor",
    "__proto__",
    "hsl()",
  ])("refuses %j", (text) => {
    expect(parseColor(text)).toBeNull()
  })

  it.each([
    ["#abc", "#aabbcc"],
    [" #A1B2C3 ", "#a1b2c3"],
    ["#a1b2c3ff", "#a1b2c3"],
    ["RebeccaPurple", "#663399"],
    ["aliceblue", "#f0f8ff"],
    ["yellowgreen", "#9acd32"],
    ["rgb(12, 200, 33)", "#0cc821"],
    ["rgb(12 200 33 / 1)", "#0cc821"],
    ["rgb(10% 20% 30%)", "#1a334d"],
    ["rgb(300 -5 0)", "#ff0000"],
    ["hsl(210, 60%, 40%)", "#2966a3"],
    ["hsl(0.5turn 30% 60%)", "#7ab8b8"],
    ["hsl(-90deg 100% 50%)", "#8000ff"],
    ["oklch(0.205 0 0)", "#171717"],
  ])("reads %j as %s", (text, hex) => {
    expect(hexOf(text)).toBe(hex)
  })

  it("returns valid numbers or null for any text, and never throws", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.string().map((inner) => `rgb(${inner})`),
        ),
        (text) => {
          expect(hexOf(text) ?? "#000000").toMatch(/^#[0-9a-f]{6}$/)
        },
      ),
    )
  })

  it("parses every color that toHex writes", () => {
    const channel = fc.integer({ min: 0, max: 255 }).map((value) => value / 255)
    fc.assert(
      fc.property(fc.record({ red: channel, green: channel, blue: channel, alpha: fc.constant(1) }), (color) => {
        expect(hexOf(toHex(color))).toBe(toHex(color))
      }),
    )
  })
})

describe("blend", () => {
  it("mixes a half transparent color with its background", () => {
    expect(toHex(blend({ ...black, alpha: 0.5 }, white))).toBe("#808080")
  })
})

const channel = fc.double({ min: 0, max: 1, noNaN: true })
const anyColor = fc.record({ red: channel, green: channel, blue: channel, alpha: fc.constant(1) })
const color = (text: string): Color => parseColor(text) ?? black

describe("contrast", () => {
  it("is 21 between black and white in either order", () => {
    expect(contrast(black, white)).toBeCloseTo(21)
    expect(contrast(white, black)).toBeCloseTo(21)
  })

  it("is 1 between a color and itself", () => {
    expect(contrast(color("#7f7f7f"), color("#7f7f7f"))).toBe(1)
  })

  it("accepts #767676 on white and rejects #777777, the known limit for gray text", () => {
    expect(contrast(color("#767676"), white)).toBeGreaterThanOrEqual(textContrast)
    expect(contrast(color("#777777"), white)).toBeLessThan(textContrast)
  })
})

describe("textOn", () => {
  it("is readable on any background", () => {
    fc.assert(
      fc.property(anyColor, (background) => {
        expect(contrast(textOn(background), background)).toBeGreaterThanOrEqual(textContrast)
      }),
    )
  })

  it("is white on a dark color and black on a bright one", () => {
    expect(textOn(color("#0b6b70"))).toBe(white)
    expect(textOn(color("gold"))).toBe(black)
  })
})

describe("readableOn", () => {
  it("reaches the wanted contrast for any two colors", () => {
    fc.assert(
      fc.property(anyColor, anyColor, (ink, background) => {
        expect(contrast(readableOn(ink, background, textContrast), background)).toBeGreaterThanOrEqual(textContrast)
      }),
    )
  })

  it("returns a color that is already readable unchanged", () => {
    expect(contrast(readableOn(color("navy"), white, textContrast), color("navy"))).toBeCloseTo(1)
  })
})
