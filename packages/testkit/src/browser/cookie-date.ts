const delimiters = /[\t\x20-\x2f\x3b-\x40\x5b-\x60\x7b-\x7e]+/
const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

interface Found {
  time?: readonly [number, number, number]
  day?: number
  month?: number
  year?: number
}

/**
 * Reads the value of `Expires` as leniently as browsers do, RFC 6265bis section 5.1.1. Undefined when it is no date.
 */
export function parseCookieDate(text: string): Date | undefined {
  const found: Found = {}
  for (const token of text.split(delimiters)) readToken(token, found)
  const { time, day, month, year } = found
  if (!time || day === undefined || month === undefined || year === undefined) return undefined
  return toDate(time, day, month, fullYear(year))
}

function readToken(token: string, found: Found): void {
  const time = /^(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\D.*)?$/.exec(token)
  if (!found.time && time) {
    found.time = [Number(time[1]), Number(time[2]), Number(time[3])]
    return
  }
  const number = /^(\d{1,4})(?:\D.*)?$/.exec(token)?.[1]
  if (found.day === undefined && number && number.length <= 2) {
    found.day = Number(number)
    return
  }
  const month = months.indexOf(token.slice(0, 3).toLowerCase())
  if (found.month === undefined && month >= 0) {
    found.month = month
    return
  }
  if (found.year === undefined && number && number.length >= 2) found.year = Number(number)
}

function fullYear(year: number): number {
  if (year >= 70 && year <= 99) return year + 1900
  return year <= 69 ? year + 2000 : year
}

function toDate(time: readonly [number, number, number], day: number, month: number, year: number): Date | undefined {
  const [hour, minute, second] = time
  if (year < 1601 || hour > 23 || minute > 59 || second > 59) return undefined
  const date = new Date(Date.UTC(year, month, day, hour, minute, second))
  return date.getUTCDate() === day && date.getUTCMonth() === month ? date : undefined
}
