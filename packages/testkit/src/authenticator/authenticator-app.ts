/** An authenticator app on a person's phone: the codes of one account, RFC 6238. */
export interface AuthenticatorApp {
  /** The code that the app shows now. */
  code(): Promise<string>
  /** A code that is not right now, nor a step before or after. */
  wrongCode(): Promise<string>
}

const periodSeconds = 30

/**
 * Creates an app for a secret. It shares no code with the service.
 * @param secret In base32, as setup pages show it. Spaces are ignored.
 * @param clock Returns milliseconds since 1970-01-01T00:00:00Z. Default: the time of the test.
 * @example
 * const app = authenticatorApp(setup.secret)
 * await browser.submit("form", { code: await app.code() })
 */
export function authenticatorApp(secret: string, clock: () => number = () => Date.now()): AuthenticatorApp {
  const key = decodeBase32(secret.replace(/\s/g, ""))
  const codeAt = (offset: number) => hotp(key, Math.floor(clock() / 1000 / periodSeconds) + offset)
  return {
    code: () => codeAt(0),
    async wrongCode() {
      const right = await Promise.all([-1, 0, 1].map(codeAt))
      const candidates = ["111111", "222222", "333333", "444444"]
      return candidates.find((code) => !right.includes(code)) ?? ""
    },
  }
}

/** RFC 4226 section 5.3, six digits. */
async function hotp(key: Uint8Array<ArrayBuffer>, counter: number): Promise<string> {
  const moving = new DataView(new ArrayBuffer(8))
  moving.setBigUint64(0, BigInt(counter))
  const signing = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-1" }, false, ["sign"])
  const mac = new DataView(await crypto.subtle.sign("HMAC", signing, moving.buffer))
  const offset = mac.getUint8(19) & 0x0f
  return String((mac.getUint32(offset) & 0x7fffffff) % 1_000_000).padStart(6, "0")
}

/** RFC 4648 section 6. */
function decodeBase32(text: string): Uint8Array<ArrayBuffer> {
  const bits = Array.from(text.toUpperCase().replace(/={1,6}$/, ""), (character) => {
    const value = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(character)
    if (value === -1) throw new Error("The secret is not base32")
    return value.toString(2).padStart(5, "0")
  }).join("")
  const bytes = bits.match(/.{8}/g) ?? []
  return Uint8Array.from(bytes, (byte) => Number.parseInt(byte, 2))
}
