import type { Color } from "./color.js"
import { toLinear } from "./color-space.js"

export const black: Color = { red: 0, green: 0, blue: 0, alpha: 1 }
export const white: Color = { red: 1, green: 1, blue: 1, alpha: 1 }

/** What text needs on its background: WCAG 2.2, success criterion 1.4.3. */
export const textContrast = 4.5

/** Between 1 and 21, for opaque colours. WCAG 2.2, definition of "contrast ratio". */
export function contrast(one: Color, other: Color): number {
  const [first, second] = [luminance(one), luminance(other)]
  return (Math.max(first, second) + 0.05) / (Math.min(first, second) + 0.05)
}

/** White where it can be read, else black: one of the two always reaches 4.5:1. */
export function textOn(background: Color): Color {
  return contrast(white, background) >= textContrast ? white : black
}

/** `color` itself, or the nearest mix of it with black or white that has the wanted contrast on `background`. */
export function readableOn(color: Color, background: Color, wanted: number): Color {
  const goal = contrast(white, background) >= contrast(black, background) ? white : black
  for (let share = 0; share < 1; share += 0.02) {
    const mixed = mix(color, goal, share)
    if (contrast(mixed, background) >= wanted) return mixed
  }
  return goal
}

/** `share` 0 is `color`, 1 is `other`. */
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
