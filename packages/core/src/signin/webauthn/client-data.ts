import { fromBase64url } from "../../crypto/base64url.js"
import { WebAuthnVerificationError } from "../../errors/sign-in.js"

/** `CollectedClientData`, WebAuthn level 3, section 5.8.1. */
export interface ClientData {
  readonly type: unknown
  readonly challenge: string
  readonly origin: unknown
  readonly crossOrigin: boolean
  readonly topOrigin: unknown
}

/** @throws WebAuthnVerificationError when it is none */
export function parseClientData(base64url: string): ClientData {
  const { type, challenge, origin, crossOrigin, topOrigin } = parseObject(base64url)
  if (typeof challenge !== "string") throw new WebAuthnVerificationError("clientData.challenge: must be text")
  if (crossOrigin !== undefined && typeof crossOrigin !== "boolean") {
    throw new WebAuthnVerificationError("clientData.crossOrigin: must be true or false")
  }
  return { type, challenge, origin, crossOrigin: crossOrigin === true, topOrigin: topOrigin ?? undefined }
}

function parseObject(base64url: string): Partial<Record<keyof ClientData, unknown>> {
  try {
    const parsed: unknown = JSON.parse(new TextDecoder().decode(fromBase64url(base64url) ?? new Uint8Array()))
    if (typeof parsed === "object" && parsed !== null) return parsed
  } catch {
    // The parser's message would quote the challenge; the line below says all there is to say.
  }
  throw new WebAuthnVerificationError("clientData: must be a JSON object")
}

export interface ExpectedClient {
  readonly type: "webauthn.create" | "webauthn.get"
  readonly origins: readonly string[]
  /** Pages that may embed ours. Empty: none. */
  readonly topOrigins: readonly string[]
}

/**
 * WebAuthn level 3, sections 7.1 and 7.2 (type, origin, crossOrigin, topOrigin). The challenge is compared where it is
 * redeemed.
 * @throws WebAuthnVerificationError
 */
export function assertClientData({ type, origin, crossOrigin, topOrigin }: ClientData, expected: ExpectedClient): void {
  if (type !== expected.type) throw new WebAuthnVerificationError(`clientData.type: must be ${expected.type}`)
  if (typeof origin !== "string" || !expected.origins.includes(origin)) {
    const listed = expected.origins.join(", ")
    throw new WebAuthnVerificationError(`clientData.origin: ${describe(origin)}, relayingParty.origin has ${listed}`)
  }
  if (!crossOrigin && topOrigin === undefined) return
  if (!crossOrigin) throw new WebAuthnVerificationError("clientData.topOrigin: there is one without crossOrigin")
  const isFrameAllowed = topOrigin === undefined ? expected.topOrigins.length > 0 : isListed(topOrigin, expected)
  if (!isFrameAllowed) {
    throw new WebAuthnVerificationError(
      `clientData.crossOrigin: a frame in ${describe(topOrigin)}, which expectedTopOrigin does not list`,
    )
  }
}

function isListed(topOrigin: unknown, { topOrigins }: ExpectedClient): boolean {
  return typeof topOrigin === "string" && topOrigins.includes(topOrigin)
}

/** What a browser may have sent is named; anything longer or stranger is not repeated. */
function describe(origin: unknown): string {
  const parsed = typeof origin === "string" ? URL.parse(origin) : null
  return parsed ? `${parsed.protocol}//${parsed.host}` : "something that is no origin"
}
