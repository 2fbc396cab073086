import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Color, parseColor } from "./color.js"
import { black, contrast, readableOn, textContrast, textOn, white } from "./contrast.js"

const channel = fc.double({ min: 0, max: 1, noNaN: true })
const anyColor = fc.record({ red: channel, green: channel, blue: channel, alpha: fc.constant(1) })
const color = (text: string): Color => parseColor(text) ?? black

describe("contrast", () => {
  it("is 21 between black and white, whichever comes first", () => {
    expect(contrast(black, white)).toBeCloseTo(21)
    expect(contrast(white, black)).toBeCloseTo(21)
  })

  it("is 1 between a colour and itself", () => {
    expect(contrast(color("#7f7f7f"), color("#7f7f7f"))).toBe(1)
  })

  it("agrees with the well-known border of grey on white: #767676 can be read, #777777 cannot", () => {
    expect(contrast(color("#767676"), white)).toBeGreaterThanOrEqual(textContrast)
    expect(contrast(color("#777777"), white)).toBeLessThan(textContrast)
  })
})

describe("textOn", () => {
  it("can be read on any background", () => {
    fc.assert(
      fc.property(anyColor, (background) => {
        expect(contrast(textOn(background), background)).toBeGreaterThanOrEqual(textContrast)
      }),
    )
  })

  it("is white on a deep colour and black on a bright one", () => {
    expect(textOn(color("#0b6b70"))).toBe(white)
    expect(textOn(color("gold"))).toBe(black)
  })
})

describe("readableOn", () => {
  it("reaches the wanted contrast for any two colours", () => {
    fc.assert(
      fc.property(anyColor, anyColor, (ink, background) => {
        expect(contrast(readableOn(ink, background, textContrast), background)).toBeGreaterThanOrEqual(textContrast)
      }),
    )
  })

  it("leaves a colour alone that can be read already", () => {
    expect(contrast(readableOn(color("navy"), white, textContrast), color("navy"))).toBeCloseTo(1)
  })
})
