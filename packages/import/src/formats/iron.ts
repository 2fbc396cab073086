import { type Bytes, fromBase64, isEqual, toBase64url, toBytes, toText } from "./bytes.js"
import { parseJson } from "./json.js"

/** The passwords of iron-session: one, or by number, where a seal names its own. */
export type PasswordOption = string | Readonly<Record<string, string>>

/** What a seal holds. `expires`: undefined for one that has no end. `key`: identifies it, without what is not sealed. */
export type Unsealed =
  | { readonly kind: "opened"; readonly value: unknown; readonly expires: Date | undefined; readonly key: string }
  | { readonly kind: "refused" | "over" }

interface Seal {
  readonly passwordId: string
  readonly cipher: { readonly salt: string; readonly iv: Bytes; readonly text: Bytes }
  readonly expires: string
  readonly mac: { readonly salt: string; readonly digest: string; readonly base: string }
}

export function isSeal(text: string): boolean {
  return parseSeal(text) !== null
}

/** `Fe26.2*id*salt*iv*text*expires*salt*mac`, with `~2` after it. */
function parseSeal(text: string): Seal | null {
  const parts = text.replace(/~[12]$/, "").split("*", 9)
  const [prefix, passwordId = "", salt = "", iv = "", encrypted = "", expires = "", macSalt = "", digest = ""] = parts
  if (parts.length !== 8 || prefix !== "Fe26.2" || !/^\d{0,15}$/.test(expires)) return null
  const [ivBytes, bytes] = [fromBase64(iv), fromBase64(encrypted)]
  if (ivBytes?.length !== 16 || !bytes?.length || !/^\w*$/.test(passwordId)) return null
  const base = parts.slice(0, 6).join("*")
  const cipher = { salt, iv: ivBytes, text: bytes }
  return { passwordId, cipher, expires, mac: { salt: macSalt, digest, base } }
}

/** Opens a seal of iron-webcrypto, which iron-session and authkit-nextjs use. */
export async function unseal(text: string, password: PasswordOption | undefined): Promise<Unsealed> {
  const seal = parseSeal(text)
  if (!seal) return { kind: "over" }
  for (const secret of findPasswords(password, seal.passwordId)) {
    if (!(await isAuthentic(seal, secret))) continue
    const plain = await decrypt(seal, secret).catch(() => null)
    const value = plain && parseJson(toText(plain))
    if (value === undefined || value === null) continue
    const expires = seal.expires === "" ? undefined : new Date(Number(seal.expires))
    return { kind: "opened", value, expires, key: seal.mac.base }
  }
  return { kind: "refused" }
}

/** The library gives a single password the number 1. */
function findPasswords(password: PasswordOption | undefined, id: string): readonly string[] {
  if (password === undefined) return []
  if (typeof password === "string") return [password]
  const found = Object.hasOwn(password, id === "" ? "1" : id) ? password[id === "" ? "1" : id] : undefined
  return found === undefined ? [] : [found]
}

async function isAuthentic({ mac: { salt, digest, base } }: Seal, password: string): Promise<boolean> {
  const bits = await derive(password, salt)
  const key = await crypto.subtle.importKey("raw", bits, { name: "HMAC", hash: "SHA-256" }, false, ["sign"])
  return isEqual(toBase64url(await crypto.subtle.sign("HMAC", key, toBytes(base))), digest)
}

async function decrypt({ cipher: { salt, iv, text } }: Seal, password: string): Promise<ArrayBuffer> {
  const key = await crypto.subtle.importKey("raw", await derive(password, salt), "AES-CBC", false, ["decrypt"])
  return crypto.subtle.decrypt({ name: "AES-CBC", iv }, key, text)
}

/** One round: the password is long and random. */
async function derive(password: string, salt: string): Promise<ArrayBuffer> {
  const material = await crypto.subtle.importKey("raw", toBytes(password), "PBKDF2", false, ["deriveBits"])
  return crypto.subtle.deriveBits({ name: "PBKDF2", hash: "SHA-1", salt: toBytes(salt), iterations: 1 }, material, 256)
}
