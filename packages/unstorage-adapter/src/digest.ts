/**
 * Which text stands for a value in a key: 64 characters of hexadecimal SHA-256, which every driver keeps as they are.
 * JSON keeps apart what is spelt alike: types, the borders between parts, and halves of characters.
 */
export async function digestOf(...parts: readonly unknown[]): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(JSON.stringify(parts)))
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("")
}
