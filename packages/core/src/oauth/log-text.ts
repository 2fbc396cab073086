const unprintable = /[\p{C}\p{Zl}\p{Zp}<>\\]/gu

/**
 * Text from outside as one harmless line: what could end a line, hide or become markup in a log viewer is escaped, and
 * the rest is cut.
 */
export function toLogText(text: string, maxLength = 200): string {
  const line = text
    .slice(0, maxLength)
    .replace(unprintable, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
  return text.length > maxLength ? `${line}...` : line
}

/**
 * An error code of the protocol, RFC 6749 section 5.2, as log text. Real ones are far shorter than what is left of it.
 */
export function toLogCode(code: string): string {
  return toLogText(code, 100)
}
