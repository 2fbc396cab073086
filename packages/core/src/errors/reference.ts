/** Crockford's base 32: no letter that reads like a digit. */
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

/** A short random text that a person can read out over the phone: `7F3K-Q2`. */
export function createReference(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(6))
  const text = Array.from(bytes, (byte) => alphabet[byte % alphabet.length]).join("")
  return `${text.slice(0, 4)}-${text.slice(4)}`
}
