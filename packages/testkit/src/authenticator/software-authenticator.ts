import type { Optional } from "@latchkey/core/types"
import { withoutUndefined } from "../adapter/memory-table.js"
import { encodeAttestation, encodeAuthenticatorData } from "./attestation.js"
import { type CredentialAlg, type CredentialKey, coseAlgs, createCredentialKey } from "./credential-key.js"
import { type Bytes, encodeCbor, fromBase64url, join, randomBytes, sha256, toBase64url } from "./encoding.js"
import type {
  AuthenticationJson,
  AuthenticatorFlags,
  CreationOptionsJson,
  Misbehavior,
  RegistrationJson,
  RequestOptionsJson,
} from "./webauthn-types.js"

/** Options of {@link softwareAuthenticator}. */
export interface AuthenticatorOptions {
  /** Origin of the page in the browser. Default: `https://app.test`. */
  readonly origin?: string | undefined
  /** Default: the first of ES256, EdDSA and RS256 that the options allow. */
  readonly alg?: CredentialAlg | undefined
  /**
   * Signature counter of a new credential. Default: 0, which never increases, as with synced passkeys.
   */
  readonly firstCounter?: number | undefined
  /** Default: user present and verified, eligible for backup and backed up. */
  readonly flags?: Optional<AuthenticatorFlags> | undefined
  /** Default: `internal` and `hybrid`. */
  readonly transports?: readonly string[] | undefined
  /** The model of the authenticator, as a UUID. Default: zeros, as many browsers send without attestation. */
  readonly aaguid?: string | undefined
}

/** A credential of the authenticator. */
export interface SoftwareCredential {
  /** Base64url. */
  readonly id: string
  /** Base64url. */
  readonly userHandle: string
  readonly rpId: string
  readonly key: CredentialKey
  counter: number
}

/** An authenticator and the WebAuthn API of the browser around it. */
export interface SoftwareAuthenticator {
  /** Oldest first. */
  readonly credentials: readonly SoftwareCredential[]
  /**
   * Creates a credential, as `navigator.credentials.create` does.
   * @throws Error if a credential is excluded or no algorithm is supported, as in browsers
   */
  create(options: CreationOptionsJson, misbehavior?: Misbehavior): Promise<RegistrationJson>
  /**
   * Signs with the newest allowed credential, as `navigator.credentials.get` does.
   * @throws Error if no credential is allowed
   */
  get(options: RequestOptionsJson, misbehavior?: Misbehavior): Promise<AuthenticationJson>
}

/**
 * Creates a WebAuthn authenticator in software, with the browser's API around it. Each response can deviate from the
 * specification in any part.
 * @example
 * const device = softwareAuthenticator()
 * const response = await device.create(options)
 */
export function softwareAuthenticator(options: AuthenticatorOptions = {}): SoftwareAuthenticator {
  const credentials: SoftwareCredential[] = []
  const device = new Device(options)
  return {
    credentials,
    async create(creation, misbehavior = {}) {
      const excluded = new Set(creation.excludeCredentials?.map(({ id }) => id))
      if (credentials.some(({ id }) => excluded.has(id)))
        throw new Error("InvalidStateError: the authenticator already has an excluded credential")
      const { credential, response } = await device.create(creation, misbehavior)
      credentials.push(credential)
      return response
    },
    async get(request, misbehavior = {}) {
      const allowed = request.allowCredentials ?? []
      const isAllowed = ({ id }: SoftwareCredential) => allowed.length === 0 || allowed.some((one) => one.id === id)
      const credential = credentials.findLast(isAllowed)
      if (!credential) throw new Error("NotAllowedError: the authenticator has no allowed credential")
      return device.get(credential, request, misbehavior)
    },
  }
}

class Device {
  readonly #options: AuthenticatorOptions

  constructor(options: AuthenticatorOptions) {
    this.#options = options
  }

  async create(creation: CreationOptionsJson, misbehavior: Misbehavior) {
    const { origin = "https://app.test", firstCounter = 0, transports = ["hybrid", "internal"] } = this.#options
    const key = await createCredentialKey(this.#chooseAlg(creation))
    const id = misbehavior.credentialId ?? randomBytes(32)
    const rpId = creation.rp.id ?? new URL(origin).hostname
    const publicKey = encodeCbor(misbehavior.coseKey ?? key.cose)
    const clientDataJson = this.#toClientData("webauthn.create", creation.challenge, misbehavior)
    const authData = await this.#toAuthenticatorData(rpId, firstCounter, misbehavior, { id, publicKey })
    const attestation = misbehavior.attestation ?? "none"
    const attestationObject = await encodeAttestation(attestation, { key, authData, clientDataJson })
    const credential: SoftwareCredential = {
      id: toBase64url(id),
      userHandle: creation.user.id,
      rpId,
      key,
      counter: firstCounter,
    }
    const response: RegistrationJson = {
      ...toCommon(misbehavior.claimedId ?? credential.id),
      response: {
        clientDataJSON: toBase64url(clientDataJson),
        attestationObject: toBase64url(attestationObject),
        transports,
      },
    }
    return { credential, response }
  }

  async get(
    credential: SoftwareCredential,
    request: RequestOptionsJson,
    misbehavior: Misbehavior,
  ): Promise<AuthenticationJson> {
    if (credential.counter > 0) credential.counter += 1
    const clientDataJson = this.#toClientData("webauthn.get", request.challenge, misbehavior)
    const authData = await this.#toAuthenticatorData(request.rpId ?? credential.rpId, credential.counter, misbehavior)
    const signature = await credential.key.sign(join(authData, await sha256(clientDataJson)))
    const userHandle = misbehavior.userHandle === undefined ? credential.userHandle : misbehavior.userHandle
    return {
      ...toCommon(misbehavior.claimedId ?? credential.id),
      response: {
        clientDataJSON: toBase64url(clientDataJson),
        authenticatorData: toBase64url(authData),
        signature: toBase64url(misbehavior.signature?.(signature) ?? signature),
        ...(userHandle !== null && { userHandle }),
      },
    }
  }

  #chooseAlg({ pubKeyCredParams }: CreationOptionsJson): CredentialAlg {
    const { alg } = this.#options
    if (alg) return alg
    const names: readonly CredentialAlg[] = ["ES256", "EdDSA", "RS256"]
    const found = names.find((name) => pubKeyCredParams.some((param) => param.alg === coseAlgs[name]))
    if (!found) throw new Error("NotSupportedError: the authenticator supports none of the algorithms")
    return found
  }

  #toClientData(type: string, challenge: string, { clientData }: Misbehavior): Bytes {
    const { origin = "https://app.test" } = this.#options
    return new TextEncoder().encode(JSON.stringify({ type, challenge, origin, crossOrigin: false, ...clientData }))
  }

  #toAuthenticatorData(
    rpId: string,
    counter: number,
    misbehavior: Misbehavior,
    credential?: { readonly id: Bytes; readonly publicKey: Bytes },
  ): Promise<Bytes> {
    const usual = { up: true, uv: true, be: true, bs: true, ed: false }
    return encodeAuthenticatorData({
      rpId: misbehavior.rpId ?? rpId,
      flags: {
        ...usual,
        ...withoutUndefined<AuthenticatorFlags>(this.#options.flags ?? {}),
        ...withoutUndefined<AuthenticatorFlags>(misbehavior.flags ?? {}),
      },
      counter: misbehavior.counter ?? counter,
      ...(credential && { credential: { ...credential, aaguid: toAaguid(this.#options.aaguid) } }),
    })
  }
}

function toCommon(id: string): Omit<RegistrationJson, "response"> {
  return { id, rawId: id, type: "public-key", authenticatorAttachment: "platform", clientExtensionResults: {} }
}

/** Converts a base64url credential id to base64, the form in which adapters store it. */
export function toStoredId(id: string): string {
  return btoa(Array.from(fromBase64url(id), (byte) => String.fromCharCode(byte)).join(""))
}

function toAaguid(uuid = "0".repeat(32)): Bytes {
  return Uint8Array.from(uuid.replaceAll("-", "").match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
}
