import { InvalidRequest } from "../../errors/errors.js"
import { isHttp } from "../../http/origin.js"
import { type AuthRequest, findField } from "../../http/request.js"

/**
 * A field of a form. Undefined if the form does not have it.
 * @throws InvalidRequest if it is not text
 */
export function readText(request: AuthRequest, name: string): string | undefined {
  if (request.body && Object.hasOwn(request.body, name) && typeof request.body[name] !== "string") {
    throw new InvalidRequest(`${name}: must be text`)
  }
  return findField(request, name)
}

/** @throws InvalidRequest unless the form has text in the field */
export function getText(request: AuthRequest, name: string): string {
  const text = readText(request, name)
  if (text) return text
  throw new InvalidRequest(`${name}: missing`)
}

/** Characters of the URL of a picture. A longer one is refused: cut off, it would lead elsewhere. */
export const maxImageLength = 2048

/** Whether it is an http(s) URL without a user name or a password. */
export function isPictureUrl(url: URL | null): url is URL {
  return url !== null && isHttp(url) && url.username === "" && url.password === "" && url.href.length <= maxImageLength
}

/**
 * Text of one line, without the characters that control a terminal or turn the direction of other text. Null if nothing is
 * left.
 * @param maxLength In characters; the rest is cut off.
 */
export function toLine(text: string, maxLength: number): string | null {
  const line = text.replace(/\p{Bidi_Control}/gu, "").replace(/[\p{Cc}\s]+/gu, " ")
  // By characters, not by units of UTF-16: half of one cannot be stored.
  return [...line.trim().toWellFormed()].slice(0, maxLength).join("").trim() || null
}
