import { sha1 } from "./breached.js"

/** What must be left of a password without the words and rows in it. */
const leastRest = 6
const leastDistinct = 4
/** Shorter runs are in words, such as `erty` in `property`. */
const leastRun = 5

/** Rows of keyboards, the alphabet and the digits; the latter twice, for those that begin again. */
const rows = [
  "abcdefghijklmnopqrstuvwxyz",
  "01234567890123456789",
  "qwertyuiop",
  "qwertzuiop",
  "azertyuiop",
  "asdfghjkl",
  "zxcvbnm",
].flatMap((row) => [row, [...row].reverse().join("")])

/** Whether little but known words, rows of the keyboard, repeated characters, or one repeated pattern makes up the password. */
export function isGuessable(text: string, words: readonly string[]): boolean {
  const folded = fold(text)
  if (new Set(folded).size < leastDistinct) return true
  const known = words.map(fold).filter((word) => word.length >= 3)
  known.sort((one, other) => other.length - one.length)
  const withoutKnown = (whole: string) => removeRuns(known.reduce((left, word) => left.replaceAll(word, ""), whole))
  const rests = [findPattern(folded), withoutKnown(folded), withoutKnown(folded.replace(/(.)\1+/gu, "$1"))]
  return rests.some((rest) => rest !== folded && [...rest].length < leastRest)
}

/**
 * Whether a password, or the pattern that it repeats, is among the commonest. Case and blanks make no difference. Of
 * passwords that are not, one in 430,000 is taken for one of them.
 */
export async function isCommon(text: string): Promise<boolean> {
  const folded = fold(text)
  const pattern = findPattern(folded)
  return (await isListed(folded)) || (pattern !== folded && (await isListed(pattern)))
}

/** From this length on, a password is in the list of long ones. */
const leastLong = 15

async function isListed(folded: string): Promise<boolean> {
  const isLong = [...folded].length >= leastLong
  const list = isLong
    ? (await import("./common-long.js")).longPasswords
    : (await import("./common-short.js")).shortPasswords
  return hasPrefix(list, Number.parseInt((await sha1(folded)).slice(0, 8), 16))
}

/** Whether a list of `scripts/common-passwords.mjs` has the first 32 bits of a hash. */
function hasPrefix(list: string, prefix: number): boolean {
  let [sum, distance, unit] = [0, 0, 1]
  for (const character of atob(list)) {
    const byte = character.charCodeAt(0)
    distance += (byte % 0x80) * unit
    unit *= 0x80
    if (byte >= 0x80) continue
    sum += distance
    if (sum >= prefix) return sum === prefix
    ;[distance, unit] = [0, 1]
  }
  return false
}

function fold(text: string): string {
  return text.normalize("NFKC").toLowerCase().replace(/\s+/g, "")
}

/** The shortest text whose repetition is the whole one. */
function findPattern(text: string): string {
  // A text is in its own double, between the ends, exactly if it repeats a shorter one.
  return text.slice(0, `${text}${text}`.indexOf(text, 1))
}

/** The text without the runs along a row. */
function removeRuns(text: string): string {
  let rest = ""
  for (let at = 0; at < text.length; ) {
    const run = countRun(text, at)
    if (run < leastRun) rest += text[at]
    at += run < leastRun ? 1 : run
  }
  return rest
}

function countRun(text: string, at: number): number {
  let end = at + 1
  while (end < text.length && rows.some((row) => row.includes(text.slice(at, end + 1)))) end += 1
  return end - at
}
