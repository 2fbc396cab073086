/** The middle value, or the mean of the two middle values. NaN without values. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

/** The value below which the given part of the values lies, interpolated between neighbors. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  const position = (sorted.length - 1) * part
  const below = sorted[Math.floor(position)] ?? Number.NaN
  const above = sorted[Math.ceil(position)] ?? Number.NaN
  return below + (above - below) * (position - Math.floor(position))
}

/** The largest of any number of values: as arguments of one call, a hundred thousand overflow the stack. NaN without values. */
export function largest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(value, most), values[0] ?? Number.NaN)
}

/** Half the interquartile range relative to the median: how far a second run may be off. */
export function spread(values: readonly number[]): number {
  return (quantile(values, 0.75) - quantile(values, 0.25)) / 2 / median(values)
}

/** Formats a spread as `±3%`. */
export function formatSpread(values: readonly number[]): string {
  return `±${Math.round(spread(values) * 100)}%`
}

/** Formats a number with three significant digits; more would be noise. */
export function formatNumber(value: number): string {
  if (value >= 100) return value.toFixed(0)
  return value >= 10 ? value.toFixed(1) : value.toFixed(2)
}
