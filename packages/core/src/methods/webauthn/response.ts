import { fromBase64url } from "../../crypto/encoding.js"
import { InvalidRequest } from "../../errors/errors.js"
import { assertShallow } from "../../http/body.js"
import { type AuthRequest, findField } from "../../http/request.js"
import { isRecord, parseJson } from "../../runtime/json.js"

/** Fields of both responses. Binary values are canonical base64url. */
interface CommonResponse {
  /** Id of the credential. */
  readonly id: string
  readonly clientDataJSON: string
}

export interface RegistrationResponse extends CommonResponse {
  readonly attestationObject: string
  readonly transports: readonly string[]
}

export interface AuthenticationResponse extends CommonResponse {
  readonly authenticatorData: string
  readonly signature: string
  /** Undefined if the authenticator returned none. */
  readonly userHandle: string | undefined
}

/** WebAuthn level 3, section 5.8.4, with room for new names. */
const transportPattern = /^[a-z-]{1,32}$/
const maxTransports = 8

/** `RegistrationResponseJSON`, WebAuthn level 3, section 5.1.8. @throws InvalidRequest */
export function readRegistration(request: AuthRequest): RegistrationResponse {
  const { common, response } = readCommon(request)
  return {
    ...common,
    attestationObject: parseBinary(response, "attestationObject"),
    transports: readTransports(response["transports"]),
  }
}

/** `AuthenticationResponseJSON`, WebAuthn level 3, section 5.1.8. @throws InvalidRequest */
export function readAuthentication(request: AuthRequest): AuthenticationResponse {
  const { common, response } = readCommon(request)
  const { userHandle } = response
  return {
    ...common,
    authenticatorData: parseBinary(response, "authenticatorData"),
    signature: parseBinary(response, "signature"),
    userHandle: userHandle === undefined || userHandle === null ? undefined : parseBinary(response, "userHandle"),
  }
}

type Json = Readonly<Record<string, unknown>>

function readCommon(request: AuthRequest): { readonly common: CommonResponse; readonly response: Json } {
  const credential = parseObject(readData(request), "data")
  const response = parseObject(credential["response"], "data.response")
  const id = parseBinary(credential, "id")
  if (parseBinary(credential, "rawId") !== id) throw new InvalidRequest("data.rawId: must be data.id")
  if (credential["type"] !== "public-key") throw new InvalidRequest("data.type: must be public-key")
  return { common: { id, clientDataJSON: parseBinary(response, "clientDataJSON") }, response }
}

function readData(request: AuthRequest): unknown {
  const text = findField(request, "data")
  if (text === undefined) throw new InvalidRequest("data: must be text")
  assertShallow(text)
  const data = parseJson(text)
  if (data === undefined) throw new InvalidRequest("data: must be JSON")
  return data
}

function parseObject(value: unknown, path: string): Json {
  if (isRecord(value)) return value
  throw new InvalidRequest(`${path}: must be an object`)
}

function parseBinary(fields: Json, name: string): string {
  const value = fields[name]
  if (typeof value === "string" && fromBase64url(value) !== null) return value
  throw new InvalidRequest(`data: ${name} must be base64url without padding`)
}

/** Hints for later options. Invalid names are dropped. */
function readTransports(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return []
  const names = value.filter((name) => typeof name === "string" && transportPattern.test(name))
  return [...new Set<string>(names)].slice(0, maxTransports)
}

/** Base64url to padded base64 (RFC 4648 sections 4 and 5), the form in which stores keep ids and keys. */
export function toStoredText(base64url: string): string {
  const text = base64url.replaceAll("-", "+").replaceAll("_", "/")
  return text.padEnd(Math.ceil(text.length / 4) * 4, "=")
}

/** Base64 to base64url without padding, the form of ids in requests. */
export function toWireText(base64: string): string {
  return base64
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/={1,2}$/, "")
}
