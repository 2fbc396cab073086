import { EmailSignInError } from "../errors/errors.js"

/** RFC 5322 section 3.2.3: an atom, without the quoted forms that mail servers read differently. */
const localPart = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** Characters: RFC 5321 section 4.5.3.1.3. */
const maxLength = 254
/** Characters of the input. Surrounding blanks and an internationalized domain can be longer than the normalized address. */
const maxTypedLength = 4 * maxLength

/**
 * One plain address (RFC 5321 section 4.1.2 without quotes, comments, lists and address literals) in lower case, its
 * domain as IDNA makes it ASCII. One address has one form: what is stored, looked up and mailed is the same text.
 * @throws EmailSignInError for anything else; never with the text in the message
 */
export function normalizeEmailAddress(text: string): string {
  if (text.length > maxTypedLength) throw new EmailSignInError(`The address is longer than ${maxLength} characters`)
  const [local = "", domain = "", ...more] = text.trim().split("@")
  if (more.length > 0) throw new EmailSignInError("The address has more than one @")
  const name = local.toLowerCase()
  // Letters of other scripts look like ASCII letters, and some normalize to them: that is another person's address.
  if (!localPart.test(name) || local.length > 64 || /[^ -~]/.test(local))
    throw new EmailSignInError("The part before the @ has characters that are not allowed")
  // RFC 2047 section 2. Mail programs decode it, and find another address inside.
  if (name.includes("=?")) throw new EmailSignInError("The part before the @ has an encoded word")
  const address = `${name}@${toAsciiDomain(domain)}`
  if (address.length > maxLength) throw new EmailSignInError(`The address is longer than ${maxLength} characters`)
  return address
}

/** A text: an engine looks up the characters of a literal when it reads this file. */
const dropped = String.raw`\p{Default_Ignorable_Code_Point}`

/**
 * The form in which an address is stored and looked up if it was not typed into one of our forms: trimmed, in lower case, and
 * with its domain converted to ASCII by IDNA. Letters beyond ASCII before the @ are kept: the Kelvin sign in lower case is
 * `k`, which would be another person's address. A domain is kept if IDNA refuses it, or would drop some of its characters.
 * @returns null for a blank text
 */
export function toNormalAddress(text: string): string | null {
  const trimmed = text.trim()
  const at = trimmed.lastIndexOf("@")
  const domain = trimmed.slice(at + 1)
  // Without other characters, IDNA would change nothing but upper case. With digits, it could be an IPv4 address.
  const isUnusual = /[^a-z.-]/i.test(domain) && !new RegExp(dropped, "u").test(domain)
  const ascii = at > 0 && isUnusual ? findAsciiDomain(domain) : undefined
  const address = ascii === undefined ? trimmed : `${trimmed.slice(0, at)}@${ascii}`
  return address === "" ? null : address.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** Masks the address in a link, so that any browser may show it. Undefined if the text is not an address. */
export function maskAddress(text: string): string | undefined {
  try {
    const [local = "", domain = ""] = normalizeEmailAddress(text).split("@")
    return `${local.length > 1 ? local.slice(0, 1) : ""}\u2022\u2022\u2022@${domain}`
  } catch {
    return undefined
  }
}

function toAsciiDomain(domain: string): string {
  const ascii = findAsciiDomain(domain)
  if (ascii === undefined) throw new EmailSignInError("The part after the @ is not a domain")
  return ascii
}

function findAsciiDomain(domain: string): string | undefined {
  const ascii = /[\s/\\?#:%[\]]/.test(domain) ? undefined : URL.parse(`http://${domain}/`)?.hostname
  const labels = ascii?.split(".") ?? []
  const isDomain = labels.length >= 2 && labels.every((text) => label.test(text)) && !/^\d+$/.test(labels.at(-1) ?? "")
  return isDomain ? ascii : undefined
}
