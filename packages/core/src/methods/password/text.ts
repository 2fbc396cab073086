import type { PasswordFault } from "@latchkey/types"
import { RefusedInput } from "../../errors/refused-input.js"

/** A new password that cannot be used. The message never quotes it. */
export class PasswordRefused extends RefusedInput {
  static override readonly type: string = "PasswordRefused"
  /** Why, for pages and clients. */
  declare readonly code: PasswordFault

  constructor(code: PasswordFault) {
    super(`password: ${faults[code]}`, { code, field: "password" })
  }
}

/** Bytes of UTF-8. A hash takes no longer for more, but the text passes through normalization first. */
export const maxPasswordBytes = 1024

const faults: Readonly<Record<PasswordFault, string>> = {
  missing: "is missing",
  "too-short": "is too short",
  "too-long": `is longer than ${maxPasswordBytes} bytes`,
  characters: "has a control character",
  blocked: "contains the address, the name of the site, or a blocked word",
  breached: "is on a list of passwords that were made public",
  "same-as-before": "is the current one",
}

/**
 * The text that is hashed: RFC 8265 section 4.2.2 (OpaqueString). Every blank is a space and the text is in NFC, so that
 * one password typed on two keyboards is one text. Case and width stay.
 */
export function normalizePassword(text: string): string {
  return text.replace(/\p{Zs}/gu, " ").normalize("NFC")
}

/** Whether a text is too long to be a password, decided before anything else is done with it. */
export function isTooLong(text: string): boolean {
  // A code unit has at most three bytes, so that most texts need no encoding.
  return text.length > maxPasswordBytes || (text.length * 3 > maxPasswordBytes && byteLength(text) > maxPasswordBytes)
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length
}

/**
 * Returns the normalized text of a new password.
 * @throws PasswordRefused for an empty one, one that is too long, and one with control characters or lone surrogates
 */
export function prepareNewPassword(text: string): string {
  if (text === "") throw new PasswordRefused("missing")
  if (isTooLong(text)) throw new PasswordRefused("too-long")
  const normalized = normalizePassword(text)
  if (/[\p{Cc}\p{Cs}]/u.test(normalized)) throw new PasswordRefused("characters")
  if (isTooLong(normalized)) throw new PasswordRefused("too-long")
  return normalized
}
