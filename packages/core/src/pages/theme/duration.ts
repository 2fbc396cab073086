const minute = 60
const hour = 60 * minute
const day = 24 * hour

/** Formats a duration in `language`, such as "24 hours" or "10 minutes". Rounds down, so that it never promises too much. */
export function formatDuration(seconds: number, language: string): string {
  const [unit, size] = unitFor(seconds)
  const count = Math.max(1, Math.floor(seconds / size))
  return new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" }).format(count)
}

function unitFor(seconds: number): readonly ["second" | "minute" | "hour" | "day", number] {
  if (seconds > 2 * day) return ["day", day]
  if (seconds >= 2 * hour || seconds === hour) return ["hour", hour]
  if (seconds >= minute) return ["minute", minute]
  return ["second", 1]
}
