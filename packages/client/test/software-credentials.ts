import type { SoftwareAuthenticator } from "@latchkey/testkit"
import { base64URLStringToBuffer, bufferToBase64URLString } from "@simplewebauthn/browser"

/** `navigator.credentials` backed by a software authenticator. */
export function softwareCredentials(device: SoftwareAuthenticator): Pick<CredentialsContainer, "create" | "get"> {
  return {
    create: async ({ publicKey } = {}) => {
      if (!publicKey) return null
      const { challenge, rp, user, pubKeyCredParams, excludeCredentials = [] } = publicKey
      const answer = await device.create({
        challenge: toText(challenge),
        rp: rp.id === undefined ? {} : { id: rp.id },
        user: { id: toText(user.id) },
        pubKeyCredParams,
        excludeCredentials: excludeCredentials.map(({ id }) => ({ id: toText(id) })),
      })
      return toCredential(answer)
    },
    get: async ({ publicKey } = {}) => {
      if (!publicKey) return null
      const { challenge, rpId, allowCredentials = [] } = publicKey
      const answer = await device.get({
        challenge: toText(challenge),
        ...(rpId !== undefined && { rpId }),
        allowCredentials: allowCredentials.map(({ id }) => ({ id: toText(id) })),
      })
      return toCredential(answer)
    },
  }
}

/** The library passes plain buffers. */
function toText(bytes: BufferSource): string {
  return bufferToBase64URLString(bytes instanceof ArrayBuffer ? bytes : new Uint8Array(0).buffer)
}

interface Answer {
  readonly id: string
  readonly type: string
  readonly authenticatorAttachment: string
  readonly response: Readonly<Record<string, unknown>>
}

/** The parts of a `PublicKeyCredential` that the library reads, with binary values as buffers. */
function toCredential({ id, type, authenticatorAttachment, response }: Answer): Credential {
  const buffers = Object.entries(response).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, base64URLStringToBuffer(value)] as const] : [],
  )
  const { transports } = response
  const credential = {
    id,
    type,
    rawId: base64URLStringToBuffer(id),
    authenticatorAttachment,
    response: { ...Object.fromEntries(buffers), getTransports: () => transports },
    getClientExtensionResults: () => ({}),
  }
  return credential
}
