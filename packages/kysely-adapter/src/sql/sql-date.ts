const ownForm = /^[1-9]\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/
const timestamp = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d)?)(\.\d{1,9})?\s?(Z|[+-]\d\d(?::?\d\d)?)?$/
const milliseconds = /^-?\d+$/

/**
 * Reads an instant as databases and drivers give it: a `Date`, milliseconds since 1970, ISO 8601 text, or SQL text such
 * as `2025-01-02 03:04:05.678+00`. Text without a zone is UTC, whatever the zone of this machine. Finer parts than
 * milliseconds are cut off.
 * @throws TypeError when it is none of these.
 */
export function parseSqlDate(value: unknown): Date {
  const date = typeof value === "string" ? parseText(value) : toDate(value)
  if (date === undefined || Number.isNaN(date.getTime())) throw new TypeError("no date that can be read")
  return date
}

function toDate(value: unknown): Date | undefined {
  if (value instanceof Date || typeof value === "number") return new Date(value)
  return typeof value === "bigint" ? new Date(Number(value)) : undefined
}

function parseText(text: string): Date | undefined {
  if (ownForm.test(text)) return fromOwnForm(text)
  if (milliseconds.test(text)) return new Date(Number(text))
  const parts = timestamp.exec(text)
  if (parts === null) return new Date(text)
  const [, day, time, fraction = "", zone = "Z"] = parts
  return new Date(`${day}T${time}${fraction.slice(0, 4)}${toIsoZone(zone)}`)
}

/** As `new Date(text)`, in a third of the time; every request with a stored session reads one or two dates. */
function fromOwnForm(text: string): Date {
  const pair = (start: number): number => text.charCodeAt(start) * 10 + text.charCodeAt(start + 1) - 528
  const year = pair(0) * 100 + pair(2)
  const thousandths = pair(20) * 10 + text.charCodeAt(22) - 48
  return new Date(Date.UTC(year, pair(5) - 1, pair(8), pair(11), pair(14), pair(17), thousandths))
}

function toIsoZone(zone: string): string {
  if (zone === "Z") return zone
  const digits = zone.slice(1).replace(":", "").padEnd(4, "0")
  return `${zone.charAt(0)}${digits.slice(0, 2)}:${digits.slice(2)}`
}
