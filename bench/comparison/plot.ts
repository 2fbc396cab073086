// Plots as SVG files that follow the color scheme of the page they are on.

import * as Plot from "@observablehq/plot"
import { parseHTML } from "linkedom"

export interface Bar {
  readonly label: string
  readonly value: number
  /** Bars of one group are drawn together below its name. */
  readonly group?: string
  /** Default: `other`. */
  readonly color?: Color
  /** Written at the end of the bar. Default: the value. */
  readonly text?: string
}

/** The colors of the plots. */
export type Color = "own" | "other" | "good" | "bad" | "none"

export interface BarPlot {
  /** Announced by screen readers. */
  readonly title: string
  /** Label of the axis. Default: no axis, for groups that have different units. */
  readonly unit?: string
  readonly bars: readonly Bar[]
  /** The order of the labels, top down. */
  readonly labels: readonly string[]
  /** Whether bars with the same label and group are drawn end to end. Default: false. */
  readonly isStacked?: boolean
  /** Whether the axis is logarithmic. Default: false. */
  readonly isLogarithmic?: boolean
}

const style = `<style>
svg { color: #3c3c43; --plot-own: #0f6b5c; --plot-other: #9aa8a5; --plot-good: #0f6b5c; --plot-bad: #b3402a; --plot-none: #d5dad9; --plot-on: #fff; }
@media (prefers-color-scheme: dark) { svg { color: #dfdfd6; --plot-own: #5fd0b8; --plot-other: #6f7f7c; --plot-good: #5fd0b8; --plot-bad: #e8836f; --plot-none: #3a4442; --plot-on: #1b1b1f; } }
</style>`

const groupHeight = 26

/** Draws horizontal bars. @returns an SVG document */
export function drawBars({ title, unit, bars, labels, isStacked = false, isLogarithmic = false }: BarPlot): string {
  const { document } = parseHTML("<html><body></body></html>")
  const groups = [...new Set(bars.map(({ group = "" }) => group))]
  const ends = bars.map(({ value }) => value)
  const start = isLogarithmic ? 10 ** Math.floor(Math.log10(Math.min(...ends))) : 0
  const marks = isStacked
    ? [
        Plot.barX(bars, { x: "value", y: "label", fill: toFill, insetTop: 2, insetBottom: 2 }),
        Plot.text(bars, Plot.stackX({ x: "value", y: "label", text: toStackedText, fill: toTextFill })),
      ]
    : [
        Plot.barX(bars, { x1: start, x2: "value", y: "label", fy: "group", fill: toFill, insetTop: 2, insetBottom: 2 }),
        Plot.text(bars, {
          x: "value",
          y: "label",
          fy: "group",
          text: toText,
          textAnchor: "start",
          dx: 6,
          fill: "currentColor",
        }),
      ]
  const drawn = Plot.plot({
    document,
    width: 720,
    height: groups.length * (labels.length * groupHeight + 30) + 60,
    marginLeft: 120,
    marginRight: 80,
    marginTop: groups.length > 1 ? 24 : 10,
    marginBottom: 40,
    style: { background: "none", fontSize: "13px", fontFamily: "system-ui, sans-serif" },
    x: {
      label: unit ?? null,
      type: isLogarithmic ? "log" : "linear",
      grid: unit !== undefined,
      nice: !isStacked,
      ...(unit === undefined && { axis: null }),
    },
    y: { label: null, domain: [...labels] },
    fy: { label: null, domain: groups, axis: null, padding: groups.length > 1 ? 0.22 : 0 },
    color: { type: "identity" },
    marks: groups.length > 1 ? [...marks, groupNames(groups)] : marks,
  })
  return toDocument(drawn.outerHTML, title)
}

const toFill = ({ color = "other" }: Bar): string => `var(--plot-${color})`
const toTextFill = ({ color }: Bar): string => (color === "none" ? "currentColor" : "var(--plot-on)")
/** Narrow parts have room for the number only. */
const toStackedText = ({ text = "", value }: Bar): string =>
  value > 3 ? `${value} ${text}` : value > 0 ? String(value) : ""
const toText = ({ text, value }: Bar): string => text ?? String(value)

const groupNames = (groups: readonly string[]): Plot.Markish =>
  Plot.text(
    groups.map((group) => ({ group })),
    { fy: "group", text: "group", frameAnchor: "top-left", dx: -110, dy: -16, fontWeight: "600", fill: "currentColor" },
  )

/** A document of its own, with the colors of both schemes in place of the library's style. */
function toDocument(svg: string, title: string): string {
  const label = title.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;")
  return `${svg
    // The drawing is one image with one label.
    .replace(/ aria-(?:label|hidden)="[^"]*"/g, "")
    .replace(/<style>[\s\S]*?<\/style>/, style)
    .replace(/^<svg /, `<svg role="img" aria-label="${label}" xmlns="http://www.w3.org/2000/svg" `)}\n`
}
