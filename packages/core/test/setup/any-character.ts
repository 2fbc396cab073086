import fc from "fast-check"

const highest = 0x10_ffff
const firstSurrogate = 0xd800
const surrogates = 0x800

/**
 * Any code point except surrogates: the values of `unit: "binary"`. That one builds a map of all 1,112,064 characters in each
 * process, which takes seconds.
 */
export const anyCharacter: fc.Arbitrary<string> = fc.nat({ max: highest - surrogates }).map(
  (index) => String.fromCodePoint(index < firstSurrogate ? index : index + surrogates),
  (character) => {
    const point = typeof character === "string" ? character.codePointAt(0) : undefined
    if (point === undefined || String.fromCodePoint(point) !== character) throw new Error("not one character")
    return point < firstSurrogate ? point : point - surrogates
  },
)
