import { spread } from "./statistics.ts"

/** Three significant digits, which is more than a run is worth. */
export function formatNumber(value: number): string {
  if (value >= 100) return value.toFixed(0)
  return value >= 10 ? value.toFixed(1) : value.toFixed(2)
}

export function formatSpread(values: readonly number[]): string {
  return `±${Math.round(spread(values) * 100)}%`
}
