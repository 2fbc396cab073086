/** Changes a byte in the middle: the last characters of base64url may hold bits that do not count. */
export function changeSignature(token: string): string {
  return replaceSignature(token, (text) => {
    const middle = Math.floor(text.length / 2)
    return text.slice(0, middle) + (text[middle] === "A" ? "B" : "A") + text.slice(middle + 1)
  })
}

/** Nothing but zeros, as long as before. */
export function zeroSignature(token: string): string {
  return replaceSignature(token, (text) => text.replace(/./g, "A"))
}

function replaceSignature(token: string, change: (signature: string) => string): string {
  const start = token.lastIndexOf(".") + 1
  return token.slice(0, start) + change(token.slice(start))
}
