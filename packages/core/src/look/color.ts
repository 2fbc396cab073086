import { colorNames } from "./color-names.js"
import { fromHsl, fromOklab, fromOklch } from "./color-space.js"

/** A colour in the sRGB space. Every member is between 0 and 1. */
export interface Color {
  readonly red: number
  readonly green: number
  readonly blue: number
  readonly alpha: number
}

/**
 * Reads a CSS colour: hexadecimal, a name, `rgb()`, `hsl()`, `oklch()` or `oklab()` in the old and the new syntax.
 * Only numbers come out, so that nothing else of the text can reach a stylesheet or a mail.
 * @returns null for anything else.
 * @see https://www.w3.org/TR/css-color-4/
 */
export function parseColor(text: string): Color | null {
  const source = text.trim().toLowerCase()
  const name = colorNames.get(source)
  if (name !== undefined) return parseHex(name)
  if (source.startsWith("#")) return parseHex(source.slice(1))
  return parseFunction(source)
}

/** `#rrggbb`. The alpha is not written: blend first. */
export function toHex({ red, green, blue }: Color): string {
  const digits = [red, green, blue].map((part) =>
    Math.round(clamp(part) * 255)
      .toString(16)
      .padStart(2, "0"),
  )
  return `#${digits.join("")}`
}

/** What is seen where `color` lies on an opaque `background`. */
export function blend(color: Color, background: Color): Color {
  const mix = (over: number, under: number): number => over * color.alpha + under * (1 - color.alpha)
  return {
    red: mix(color.red, background.red),
    green: mix(color.green, background.green),
    blue: mix(color.blue, background.blue),
    alpha: 1,
  }
}

function parseHex(digits: string): Color | null {
  if (!/^(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/.test(digits)) return null
  const full = digits.length > 4 ? digits : digits.replace(/./g, "$&$&")
  const part = (index: number): number => Number.parseInt(full.slice(index * 2, index * 2 + 2) || "ff", 16) / 255
  return { red: part(0), green: part(1), blue: part(2), alpha: part(3) }
}

type Reader = (parts: readonly Part[]) => readonly [number, number, number]

const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ["rgb", (parts) => [channel(parts[0]), channel(parts[1]), channel(parts[2])]],
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

/** A number with its unit: none, `%` or one of the angle. */
interface Part {
  readonly value: number
  readonly unit: string
}

function parsePart(text: string): Part | null {
  const [, digits, unit = ""] = /^([+-]?(?:\d+\.?\d*|\.\d+))(%|deg|rad|grad|turn)?$/.exec(text) ?? []
  return digits === undefined ? null : { value: Number(digits), unit }
}

function channel(part: Part | undefined): number {
  return ratio(part, 255)
}

/** As a fraction of `whole`; a percentage is one of itself. */
function ratio(part: Part | undefined, whole: number): number {
  if (!part) return 0
  return part.unit === "%" ? part.value / 100 : part.value / whole
}

/** Chroma and the two axes of Oklab, where 100 % means 0.4. */
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
