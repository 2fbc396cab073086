import { encodeAttestation, encodeAuthenticatorData } from "./attestation.js"
import { type CredentialAlg, type CredentialKey, coseAlgs, createCredentialKey } from "./credential-key.js"
import { type Bytes, encodeCbor, fromBase64url, join, randomBytes, sha256, toBase64url } from "./encoding.js"
import type {
  AuthenticationJson,
  AuthenticatorFlags,
  CreationOptionsJson,
  Misbehaviour,
  RegistrationJson,
  RequestOptionsJson,
} from "./webauthn-types.js"

/** What a device is like. */
export interface AuthenticatorOptions {
  /** The page on which the browser is. Default: `https://app.test`. */
  readonly origin?: string
  /** Default: the first of ES256, EdDSA and RS256 that is asked for. */
  readonly alg?: CredentialAlg
  /**
   * What the counter of a new credential shows. Default: 0, and then it never grows, as with passkeys that are
   * synchronised.
   */
  readonly firstCounter?: number
  /** Default: user present and verified, eligible for backup and backed up. */
  readonly flags?: Partial<AuthenticatorFlags>
  /** Default: `internal` and `hybrid`. */
  readonly transports?: readonly string[]
}

/** A credential that the device holds. */
export interface SoftwareCredential {
  /** Base64url. */
  readonly id: string
  readonly userHandle: string
  readonly rpId: string
  readonly key: CredentialKey
  counter: number
}

/** A browser and a device that make and use credentials as a service asks for them, or otherwise. */
export interface SoftwareAuthenticator {
  /** The oldest first. */
  readonly credentials: readonly SoftwareCredential[]
  /**
   * Makes a credential: `navigator.credentials.create`.
   * @throws Error when one is excluded, or no algorithm fits, as browsers do
   */
  create(options: CreationOptionsJson, misbehaviour?: Misbehaviour): Promise<RegistrationJson>
  /**
   * Signs with the newest credential that is allowed: `navigator.credentials.get`.
   * @throws Error when there is none
   */
  get(options: RequestOptionsJson, misbehaviour?: Misbehaviour): Promise<AuthenticationJson>
}

/**
 * A WebAuthn device in software, with the browser around it, for tests over plain requests. It can misbehave at every
 * step.
 * @example
 * const device = softwareAuthenticator()
 * const response = await device.create(options)
 */
export function softwareAuthenticator(options: AuthenticatorOptions = {}): SoftwareAuthenticator {
  const credentials: SoftwareCredential[] = []
  const device = new Device(options)
  return {
    credentials,
    async create(asked, misbehaviour = {}) {
      const excluded = new Set(asked.excludeCredentials?.map(({ id }) => id))
      if (credentials.some(({ id }) => excluded.has(id)))
        throw new Error("InvalidStateError: there is a credential already")
      const { credential, response } = await device.create(asked, misbehaviour)
      credentials.push(credential)
      return response
    },
    async get(asked, misbehaviour = {}) {
      const allowed = asked.allowCredentials ?? []
      const isAllowed = ({ id }: SoftwareCredential) => allowed.length === 0 || allowed.some((one) => one.id === id)
      const credential = credentials.findLast(isAllowed)
      if (!credential) throw new Error("NotAllowedError: the device has no such credential")
      return device.get(credential, asked, misbehaviour)
    },
  }
}

class Device {
  readonly #options: AuthenticatorOptions

  constructor(options: AuthenticatorOptions) {
    this.#options = options
  }

  async create(asked: CreationOptionsJson, misbehaviour: Misbehaviour) {
    const { origin = "https://app.test", firstCounter = 0, transports = ["hybrid", "internal"] } = this.#options
    const key = await createCredentialKey(this.#chooseAlg(asked))
    const id = misbehaviour.credentialId ?? randomBytes(32)
    const rpId = asked.rp.id ?? new URL(origin).hostname
    const publicKey = encodeCbor(misbehaviour.coseKey ?? key.cose)
    const clientDataJson = this.#toClientData("webauthn.create", asked.challenge, misbehaviour)
    const authData = await this.#toAuthenticatorData(rpId, firstCounter, misbehaviour, { id, publicKey })
    const attestation = misbehaviour.attestation ?? "none"
    const attestationObject = await encodeAttestation(attestation, { key, authData, clientDataJson })
    const credential: SoftwareCredential = {
      id: toBase64url(id),
      userHandle: asked.user.id,
      rpId,
      key,
      counter: firstCounter,
    }
    const response: RegistrationJson = {
      ...toCommon(misbehaviour.claimedId ?? credential.id),
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
    asked: RequestOptionsJson,
    misbehaviour: Misbehaviour,
  ): Promise<AuthenticationJson> {
    if (credential.counter > 0) credential.counter += 1
    const clientDataJson = this.#toClientData("webauthn.get", asked.challenge, misbehaviour)
    const authData = await this.#toAuthenticatorData(asked.rpId ?? credential.rpId, credential.counter, misbehaviour)
    const signature = await credential.key.sign(join(authData, await sha256(clientDataJson)))
    const userHandle = misbehaviour.userHandle === undefined ? credential.userHandle : misbehaviour.userHandle
    return {
      ...toCommon(misbehaviour.claimedId ?? credential.id),
      response: {
        clientDataJSON: toBase64url(clientDataJson),
        authenticatorData: toBase64url(authData),
        signature: toBase64url(misbehaviour.signature?.(signature) ?? signature),
        ...(userHandle !== null && { userHandle }),
      },
    }
  }

  #chooseAlg({ pubKeyCredParams }: CreationOptionsJson): CredentialAlg {
    const { alg } = this.#options
    if (alg) return alg
    const names: readonly CredentialAlg[] = ["ES256", "EdDSA", "RS256"]
    const found = names.find((name) => pubKeyCredParams.some((asked) => asked.alg === coseAlgs[name]))
    if (!found) throw new Error("NotSupportedError: no algorithm that this device knows")
    return found
  }

  #toClientData(type: string, challenge: string, { clientData }: Misbehaviour): Bytes {
    const { origin = "https://app.test" } = this.#options
    return new TextEncoder().encode(JSON.stringify({ type, challenge, origin, crossOrigin: false, ...clientData }))
  }

  #toAuthenticatorData(
    rpId: string,
    counter: number,
    misbehaviour: Misbehaviour,
    credential?: { readonly id: Bytes; readonly publicKey: Bytes },
  ): Promise<Bytes> {
    const usual = { up: true, uv: true, be: true, bs: true, ed: false }
    return encodeAuthenticatorData({
      rpId: misbehaviour.rpId ?? rpId,
      flags: { ...usual, ...this.#options.flags, ...misbehaviour.flags },
      counter: misbehaviour.counter ?? counter,
      ...(credential && { credential }),
    })
  }
}

function toCommon(id: string): Omit<RegistrationJson, "response"> {
  return { id, rawId: id, type: "public-key", authenticatorAttachment: "platform", clientExtensionResults: {} }
}

/** The base64url of an id in the form in which stores keep it. */
export function toStoredId(id: string): string {
  return btoa(Array.from(fromBase64url(id), (byte) => String.fromCharCode(byte)).join(""))
}
