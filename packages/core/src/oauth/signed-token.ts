import { fromBase64url } from "../crypto/base64url.js"
import { isObject, type JsonAnswer, parseJson } from "./json-object.js"
import { ProviderError } from "./provider-error.js"

/** A compact JWS taken apart, RFC 7515 section 3.1. Nothing in it is verified. */
export interface UnverifiedToken {
  readonly header: JsonAnswer
  readonly claims: JsonAnswer
  /** What the signature covers. */
  readonly signedText: string
  readonly signature: Uint8Array<ArrayBuffer>
}

/** @throws ProviderError when the text is not a signed token: an encrypted one, for instance. */
export function parseSignedToken(text: string): UnverifiedToken {
  const [protectedHeader = "", payload = "", encodedSignature = "", ...rest] = text.split(".")
  const header = parsePart(protectedHeader)
  const claims = parsePart(payload)
  const signature = fromBase64url(encodedSignature)
  if (rest.length > 0 || header === null || claims === null || signature === null) {
    throw new ProviderError("The provider sent a token that is not a signed JWT", { code: "not-a-jwt" })
  }
  return { header, claims, signedText: `${protectedHeader}.${payload}`, signature: new Uint8Array(signature) }
}

function parsePart(part: string): JsonAnswer | null {
  const bytes = fromBase64url(part)
  const value = bytes === null ? undefined : parseJson(new TextDecoder().decode(bytes))
  return isObject(value) ? value : null
}

/** The header's key id, where it names one. */
export function findKeyId({ header }: UnverifiedToken): string | undefined {
  return typeof header["kid"] === "string" ? header["kid"] : undefined
}
