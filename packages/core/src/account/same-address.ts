/**
 * Whether the address of a stored user is the one that was proved. Stores may compare addresses without regard to
 * accents or case; look-alikes are not the same person.
 */
export function isSameAddress(stored: string | null | undefined, proved: string): boolean {
  return typeof stored === "string" && toAsciiLowerCase(stored) === toAsciiLowerCase(proved)
}

/** Letters of other scripts stay: the lower case of the Kelvin sign is a plain `k`, and so another person's address. */
function toAsciiLowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
