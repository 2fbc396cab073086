/** Base64url without padding as standard base64 with it, RFC 4648 sections 4 and 5: how stores keep ids and keys. */
export function toStoredText(base64url: string): string {
  const text = base64url.replaceAll("-", "+").replaceAll("_", "/")
  return text.padEnd(Math.ceil(text.length / 4) * 4, "=")
}

/** The other way round: how ids travel. */
export function toWireText(base64: string): string {
  return base64.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")
}
