import type { Theme } from "../contract/theme.js"
import { blend, type Color, parseColor } from "./color.js"
import { textOn, white } from "./contrast.js"

/** A deep blue-green. */
const defaultBrand: Color = { red: 11 / 255, green: 107 / 255, blue: 112 / 255, alpha: 1 }

/** The one colour of pages and mails, and what is written on it. Both opaque. */
export interface Accent {
  readonly fill: Color
  readonly text: Color
}

/** The host's brand colour as it looks on `background`. What is no colour counts as not given. */
export function resolveAccent(theme: Theme, background: Color = white): Accent {
  const brand = parseColor(theme.brandColor ?? "")
  const fill = brand ? blend(brand, background) : defaultBrand
  const wished = parseColor(theme.buttonText ?? "")
  return { fill, text: wished ? blend(wished, fill) : textOn(fill) }
}
