import * as Plot from "@observablehq/plot"
import { parseHTML } from "linkedom"
import type { Axis, Chart } from "./report.ts"

/** Draws a chart as an SVG document, readable on light and dark pages. */
export function toSvg({ title, x, y, series }: Chart): string {
  const { document } = parseHTML("<!doctype html><html><body></body></html>")
  const points = series.flatMap(({ name, points: own }) => own.map(([at, value]) => ({ name, at, value })))
  const isFromZero = y.isLog !== true
  const svg = Plot.plot({
    document,
    title,
    width: 720,
    height: 360,
    marginLeft: 64,
    marginRight: 150,
    style: { background: "white", color: "black", fontFamily: "sans-serif" },
    x: toScale(x),
    y: { ...toScale(y), grid: true },
    color: { scheme: "Tableau10" },
    marks: [
      ...(isFromZero ? [Plot.ruleY([0])] : []),
      Plot.line(points, { x: "at", y: "value", stroke: "name", strokeWidth: 2 }),
      Plot.dot(points, { x: "at", y: "value", fill: "name", r: 3 }),
      Plot.text(
        points,
        Plot.selectLast({ x: "at", y: "value", z: "name", text: "name", fill: "name", textAnchor: "start", dx: 8 }),
      ),
    ],
  })
  const drawn = svg.tagName.toLowerCase() === "svg" ? svg : svg.querySelector("svg:last-of-type")
  if (!drawn) throw new Error("Plot drew no SVG")
  drawn.setAttribute("xmlns", "http://www.w3.org/2000/svg")
  drawn.setAttribute("role", "img")
  drawn.setAttribute("aria-label", title)
  return `${drawn.outerHTML}\n`
}

function toScale({ label, isLog, isWhole }: Axis): Plot.ScaleOptions {
  return { label, ...(isLog && { type: "log", tickFormat: ",d" }), ...(isWhole && { interval: 1, tickFormat: "d" }) }
}
