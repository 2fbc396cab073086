import { createPublicKey, verify } from "node:crypto"
import { describe, expect, it } from "vitest"
import type { CredentialAlg } from "./credential-key.js"
import { CborMap, encodeCbor, fromBase64url, join, sha256, toBase64url } from "./encoding.js"
import { softwareAuthenticator, toStoredId } from "./software-authenticator.js"
import type { Attestation, Misbehavior } from "./webauthn-types.js"

const creation = {
  challenge: "Y2hhbGxlbmdl",
  rp: { id: "app.test" },
  user: { id: "dXNlcg" },
  pubKeyCredParams: [{ alg: -257 }, { alg: -7 }],
}
const request = { challenge: "Y2hhbGxlbmdl", rpId: "app.test" }

/** A COSE key as a JWK. */
function toJwk(alg: CredentialAlg, cose: CborMap) {
  const member = (label: number) => {
    const value = cose.entries.find(([key]) => key === label)?.[1]
    return value instanceof Uint8Array ? toBase64url(value) : ""
  }
  if (alg === "RS256") return { kty: "RSA", n: member(-1), e: member(-2) }
  if (alg === "EdDSA") return { kty: "OKP", crv: "Ed25519", x: member(-2) }
  return { kty: "EC", crv: "P-256", x: member(-2), y: member(-3) }
}

describe("a software authenticator", () => {
  it("throws for an excluded credential, a missing credential and an unknown algorithm", async () => {
    const device = softwareAuthenticator()
    await device.create(creation)
    const excludeCredentials = device.credentials.map(({ id }) => ({ id }))
    await expect(device.create({ ...creation, excludeCredentials })).rejects.toThrow("InvalidStateError")
    await expect(device.get({ ...request, allowCredentials: [{ id: "AAAA" }] })).rejects.toThrow("NotAllowedError")
    await expect(device.create({ ...creation, pubKeyCredParams: [{ alg: -65535 }] })).rejects.toThrow("NotSupported")
  })

  it.each(["ES256", "EdDSA", "RS256"] as const)("signs with %s as the platform verifies it", async (alg) => {
    const device = softwareAuthenticator({ alg })
    await device.create(creation)
    const { response } = await device.get(request)
    const data = join(fromBase64url(response.authenticatorData), await sha256(fromBase64url(response.clientDataJSON)))
    const jwk = toJwk(alg, device.credentials[0]?.key.cose ?? new CborMap([]))
    const key = createPublicKey({ key: jwk, format: "jwk" })
    const digest = alg === "EdDSA" ? null : "sha256"
    expect(verify(digest, data, key, fromBase64url(response.signature))).toBe(true)
    expect(response.userHandle).toBe("dXNlcg")
  })

  it("writes type, challenge and origin into the client data", async () => {
    const device = softwareAuthenticator({ origin: "https://shop.test" })
    const { response } = await device.create(creation)
    expect(JSON.parse(new TextDecoder().decode(fromBase64url(response.clientDataJSON)))).toEqual({
      type: "webauthn.create",
      challenge: creation.challenge,
      origin: "https://shop.test",
      crossOrigin: false,
    })
  })

  it("increments the counter only if it started above zero", async () => {
    const counterOf = (text: string) => new DataView(fromBase64url(text).buffer).getUint32(33)
    for (const [firstCounter, expected] of [
      [0, [0, 0]],
      [5, [6, 7]],
    ] as const) {
      const device = softwareAuthenticator({ firstCounter })
      await device.create(creation)
      const answers = [await device.get(request), await device.get(request)]
      expect(answers.map(({ response }) => counterOf(response.authenticatorData))).toEqual(expected)
    }
  })

  it.each<Misbehavior>([
    { clientData: { type: "webauthn.get" } },
    { rpId: "evil.test" },
    { flags: { up: false } },
    { flags: { uv: false } },
    { flags: { be: false } },
    { flags: { ed: true } },
    { counter: 9 },
    { credentialId: new Uint8Array(1024) },
    { coseKey: new CborMap([[1, 2]]) },
  ])("deviates on registration: %j", async (misbehavior) => {
    const sizes = { credentialId: new Uint8Array(32) }
    const device = softwareAuthenticator({ alg: "ES256" })
    const [sound, wrong] = [
      await device.create(creation, sizes),
      await device.create(creation, { ...sizes, ...misbehavior }),
    ]
    const differs = ["clientDataJSON", "attestationObject"] as const
    expect(differs.some((name) => sound.response[name].slice(0, 120) !== wrong.response[name].slice(0, 120))).toBe(true)
  })

  it("encodes every attestation differently", async () => {
    const kinds: readonly Attestation[] = [
      "none",
      "packed",
      "packed-bad-signature",
      "packed-other-algorithm",
      "packed-certificate",
      "unknown-format",
      "none-with-statement",
      "trailing-bytes",
      "trailing-bytes-inside",
      "duplicate-keys",
      "deeply-nested",
      "huge",
    ]
    const made = kinds.map(async (attestation) => softwareAuthenticator().create(creation, { attestation }))
    const objects = (await Promise.all(made)).map(({ response }) => response.attestationObject)
    expect(new Set(objects.map((text) => `${text.length} ${text.slice(0, 60)}`)).size).toBeGreaterThan(9)
    expect(objects.at(-1)?.length).toBeGreaterThan(1_000_000)
  })

  it("converts a base64url id to base64", () => {
    expect(toStoredId("-_-_AA")).toBe("+/+/AA==")
  })
})

describe("CBOR", () => {
  it.each([
    [0, "00"],
    [23, "17"],
    [24, "1818"],
    [500, "1901f4"],
    [70_000, "1a00011170"],
    [-1, "20"],
    [-257, "390100"],
    [true, "f5"],
    ["a", "6161"],
    [[1, 2], "820102"],
  ] as const)("encodes %j as in RFC 8949", (value, hex) => {
    expect(Buffer.from(encodeCbor(value)).toString("hex")).toBe(hex)
  })

  it("encodes duplicate keys", () => {
    const twice = new CborMap([
      [1, 2],
      [1, 3],
    ])
    expect(Buffer.from(encodeCbor(twice)).toString("hex")).toBe("a201020103")
  })
})
