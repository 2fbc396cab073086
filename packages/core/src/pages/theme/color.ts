import type { Theme } from "../../types/basics.js"

/** A color in the sRGB space. Every member is between 0 and 1. */
export interface Color {
  readonly red: number
  readonly green: number
  readonly blue: number
  readonly alpha: number
}

/**
 * Parses a CSS color: hexadecimal, a name, `rgb()`, `hsl()`, `oklch()` or `oklab()`, with commas or spaces. The result
 * has numbers only, so that no other text reaches a stylesheet or a mail.
 * @returns null for any other text.
 * @see https://www.w3.org/TR/css-color-4/
 */
export function parseColor(text: string): Color | null {
  const source = text.trim().toLowerCase()
  if (/^[a-z]+$/.test(source)) return parseName(source.replace("grey", "gray"))
  if (source.startsWith("#")) return parseHex(source.slice(1))
  return parseFunction(source)
}

/** `#rrggbb`. Ignores the alpha channel; blend the color first. */
export function toHex({ red, green, blue }: Color): string {
  const digits = [red, green, blue].map((part) =>
    Math.round(clamp(part) * 255)
      .toString(16)
      .padStart(2, "0"),
  )
  return `#${digits.join("")}`
}

/** The opaque color that `color` has on an opaque `background`. */
export function blend(color: Color, background: Color): Color {
  const mix = (over: number, under: number): number => over * color.alpha + under * (1 - color.alpha)
  return {
    red: mix(color.red, background.red),
    green: mix(color.green, background.green),
    blue: mix(color.blue, background.blue),
    alpha: 1,
  }
}

/** Searches the table: it is rarely asked, and a map of it would be built with the first sign-in page of each process. */
function parseName(name: string): Color | null {
  const found = namedColors.indexOf(` ${name}#`)
  if (found === -1) return null
  const [digits = ""] = namedColors.slice(found + name.length + 2).split(/\s/, 1)
  return parseHex(digits)
}

function parseHex(digits: string): Color | null {
  if (!/^(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/.test(digits)) return null
  const full = digits.length > 4 ? digits : digits.replace(/./g, "$&$&")
  const part = (index: number): number => Number.parseInt(full.slice(index * 2, index * 2 + 2) || "ff", 16) / 255
  return { red: part(0), green: part(1), blue: part(2), alpha: part(3) }
}

type Reader = (parts: readonly Part[]) => readonly [number, number, number]

const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ["rgb", (parts) => [ratio(parts[0], 255), ratio(parts[1], 255), ratio(parts[2], 255)]],
  ["hsl", (parts) => fromHsl(angle(parts[0]), ratio(parts[1], 100), ratio(parts[2], 100))],
  ["oklab", (parts) => fromOklab(ratio(parts[0], 1), share(parts[1]), share(parts[2]))],
  ["oklch", (parts) => fromOklch(ratio(parts[0], 1), share(parts[1]), angle(parts[2]))],
])

function parseFunction(source: string): Color | null {
  const [, name = "", body = ""] = /^(rgb|hsl|oklab|oklch)a?\(([^()]{5,80})\)$/.exec(source) ?? []
  const read = readers.get(name)
  const parts = body
    .trim()
    .split(/\s*[\s,/]\s*/)
    .map(parsePart)
  if (!read || parts.length < 3 || parts.length > 4 || !parts.every((part) => part !== null)) return null
  const [red, green, blue] = read(parts)
  const fourth = parts[3]
  return { red: clamp(red), green: clamp(green), blue: clamp(blue), alpha: fourth ? clamp(ratio(fourth, 1)) : 1 }
}

/** A number with its unit: empty, `%`, or an angle unit. */
interface Part {
  readonly value: number
  readonly unit: string
}

function parsePart(text: string): Part | null {
  const [, digits, unit = ""] = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+))(%|deg|rad|grad|turn)?$/.exec(text) ?? []
  return digits === undefined ? null : { value: Number(digits), unit }
}

/** A number as a fraction of `whole`; a percentage as a fraction of 100. */
function ratio(part: Part | undefined, whole: number): number {
  if (!part) return 0
  return part.unit === "%" ? part.value / 100 : part.value / whole
}

/** Chroma and the two axes of Oklab: 100 % is 0.4. */
function share(part: Part | undefined): number {
  if (!part) return 0
  return part.unit === "%" ? part.value * 0.004 : part.value
}

const turns: Readonly<Record<string, number>> = { rad: 180 / Math.PI, grad: 0.9, turn: 360 }

/** Degrees. */
function angle(part: Part | undefined): number {
  return part ? part.value * (turns[part.unit] ?? 1) : 0
}

function clamp(value: number): number {
  return Math.min(1, Math.max(0, value))
}

type Triple = readonly [number, number, number]

/**
 * HSL to sRGB, CSS Color 4 section 7.1.
 * @param hue Degrees.
 * @param saturation 0 to 1.
 * @param lightness 0 to 1.
 */
function fromHsl(hue: number, saturation: number, lightness: number): Triple {
  const reach = saturation * Math.min(lightness, 1 - lightness)
  const component = (offset: number): number => {
    const step = (((offset + hue / 30) % 12) + 12) % 12
    return lightness - reach * Math.max(-1, Math.min(step - 3, 9 - step, 1))
  }
  return [component(0), component(8), component(4)]
}

/** Oklch to sRGB, CSS Color 4 section 9.3. The hue is in degrees; the result may exceed 0 to 1. */
function fromOklch(lightness: number, chroma: number, hue: number): Triple {
  const radians = (hue * Math.PI) / 180
  return fromOklab(lightness, chroma * Math.cos(radians), chroma * Math.sin(radians))
}

/**
 * Oklab to sRGB. The matrices are those of https://bottosson.github.io/posts/oklab/, the source of CSS Color 4 section 9.
 */
function fromOklab(lightness: number, greenRed: number, blueYellow: number): Triple {
  const long = (lightness + 0.3963377774 * greenRed + 0.2158037573 * blueYellow) ** 3
  const medium = (lightness - 0.1055613458 * greenRed - 0.0638541728 * blueYellow) ** 3
  const short = (lightness - 0.0894841775 * greenRed - 1.291485548 * blueYellow) ** 3
  return [
    toGamma(4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short),
    toGamma(-1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short),
    toGamma(-0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short),
  ]
}

/** The transfer function of sRGB, from linear light to signal. */
function toGamma(light: number): number {
  return light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055
}

/** The transfer function of sRGB, from signal to linear light. */
function toLinear(signal: number): number {
  return signal <= 0.04045 ? signal / 12.92 : ((signal + 0.055) / 1.055) ** 2.4
}

/** Opaque black. */
export const black: Color = { red: 0, green: 0, blue: 0, alpha: 1 }
/** Opaque white. */
export const white: Color = { red: 1, green: 1, blue: 1, alpha: 1 }

/** Minimum contrast of text, WCAG 2.2 success criterion 1.4.3. */
export const textContrast = 4.5

/** The contrast ratio of two opaque colors, 1 to 21, as WCAG 2.2 defines it. */
export function contrast(one: Color, other: Color): number {
  const [first, second] = [luminance(one), luminance(other)]
  return (Math.max(first, second) + 0.05) / (Math.min(first, second) + 0.05)
}

/** White if it is readable on the background, else black: one of the two always reaches 4.5:1. */
export function textOn(background: Color): Color {
  return contrast(white, background) >= textContrast ? white : black
}

/** Returns `color`, or the closest mix of it with black or white that has the wanted contrast on `background`. */
export function readableOn(color: Color, background: Color, wanted: number): Color {
  const goal = contrast(white, background) >= contrast(black, background) ? white : black
  for (let share = 0; share < 1; share += 0.02) {
    const mixed = mix(color, goal, share)
    if (contrast(mixed, background) >= wanted) return mixed
  }
  return goal
}

/** Mixes two colors. `share` 0 is `color`, 1 is `other`. */
export function mix(color: Color, other: Color, share: number): Color {
  const between = (from: number, to: number): number => from + (to - from) * share
  return {
    red: between(color.red, other.red),
    green: between(color.green, other.green),
    blue: between(color.blue, other.blue),
    alpha: 1,
  }
}

function luminance({ red, green, blue }: Color): number {
  return 0.2126 * toLinear(red) + 0.7152 * toLinear(green) + 0.0722 * toLinear(blue)
}

/** A deep blue-green. */
const defaultBrand: Color = { red: 11 / 255, green: 107 / 255, blue: 112 / 255, alpha: 1 }

/** The accent color of pages and mails, and the color of text on it. Both opaque. */
interface Accent {
  readonly fill: Color
  readonly text: Color
}

/** A part of the host's theme. */
type AccentColors = { readonly [Option in "brandColor" | "buttonText"]?: Theme[Option] | undefined }

/** The accent of a theme on `background`. Invalid colors count as missing, and text that cannot be read is changed. */
export function resolveAccent({ brandColor, buttonText }: AccentColors, background: Color = white): Accent {
  const brand = parseColor(brandColor ?? "")
  const fill = brand ? blend(brand, background) : defaultBrand
  const text = parseColor(buttonText ?? "")
  // A little more than needed, since hexadecimal digits round.
  return { fill, text: text ? readableOn(blend(text, fill), fill, textContrast * 1.01) : textOn(fill) }
}

/** The named colors of CSS Color 4 section 6.1. Every name with `gray` can be spelled `grey`, too. */
const namedColors = `
  aliceblue#f0f8ff antiquewhite#faebd7 aqua#0ff aquamarine#7fffd4 azure#f0ffff beige#f5f5dc bisque#ffe4c4
  black#000 blanchedalmond#ffebcd blue#00f blueviolet#8a2be2 brown#a52a2a burlywood#deb887 cadetblue#5f9ea0
  chartreuse#7fff00 chocolate#d2691e coral#ff7f50 cornflowerblue#6495ed cornsilk#fff8dc crimson#dc143c cyan#0ff
  darkblue#00008b darkcyan#008b8b darkgoldenrod#b8860b darkgray#a9a9a9 darkgreen#006400 darkkhaki#bdb76b
  darkmagenta#8b008b darkolivegreen#556b2f darkorange#ff8c00 darkorchid#9932cc darkred#8b0000 darksalmon#e9967a
  darkseagreen#8fbc8f darkslateblue#483d8b darkslategray#2f4f4f darkturquoise#00ced1 darkviolet#9400d3
  deeppink#ff1493 deepskyblue#00bfff dimgray#696969 dodgerblue#1e90ff firebrick#b22222 floralwhite#fffaf0
  forestgreen#228b22 fuchsia#f0f gainsboro#dcdcdc ghostwhite#f8f8ff gold#ffd700 goldenrod#daa520 gray#808080
  green#008000 greenyellow#adff2f honeydew#f0fff0 hotpink#ff69b4 indianred#cd5c5c indigo#4b0082 ivory#fffff0
  khaki#f0e68c lavender#e6e6fa lavenderblush#fff0f5 lawngreen#7cfc00 lemonchiffon#fffacd lightblue#add8e6
  lightcoral#f08080 lightcyan#e0ffff lightgoldenrodyellow#fafad2 lightgray#d3d3d3 lightgreen#90ee90
  lightpink#ffb6c1 lightsalmon#ffa07a lightseagreen#20b2aa lightskyblue#87cefa lightslategray#789
  lightsteelblue#b0c4de lightyellow#ffffe0 lime#0f0 limegreen#32cd32 linen#faf0e6 magenta#f0f maroon#800000
  mediumaquamarine#66cdaa mediumblue#0000cd mediumorchid#ba55d3 mediumpurple#9370db mediumseagreen#3cb371
  mediumslateblue#7b68ee mediumspringgreen#00fa9a mediumturquoise#48d1cc mediumvioletred#c71585
  midnightblue#191970 mintcream#f5fffa mistyrose#ffe4e1 moccasin#ffe4b5 navajowhite#ffdead navy#000080
  oldlace#fdf5e6 olive#808000 olivedrab#6b8e23 orange#ffa500 orangered#ff4500 orchid#da70d6 palegoldenrod#eee8aa
  palegreen#98fb98 paleturquoise#afeeee palevioletred#db7093 papayawhip#ffefd5 peachpuff#ffdab9 peru#cd853f
  pink#ffc0cb plum#dda0dd powderblue#b0e0e6 purple#800080 rebeccapurple#639 red#f00 rosybrown#bc8f8f
  royalblue#4169e1 saddlebrown#8b4513 salmon#fa8072 sandybrown#f4a460 seagreen#2e8b57 seashell#fff5ee
  sienna#a0522d silver#c0c0c0 skyblue#87ceeb slateblue#6a5acd slategray#708090 snow#fffafa springgreen#00ff7f
  steelblue#4682b4 tan#d2b48c teal#008080 thistle#d8bfd8 tomato#ff6347 turquoise#40e0d0 violet#ee82ee
  wheat#f5deb3 white#fff whitesmoke#f5f5f5 yellow#ff0 yellowgreen#9acd32
`
