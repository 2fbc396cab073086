import fc from "fast-check"
import { CompactSign, exportJWK, generateKeyPair, generateSecret } from "jose"
import { beforeAll, describe, expect, it, vi } from "vitest"
import type { PublicJwk } from "../crypto/backend.js"
import { fromBase64url } from "../crypto/encoding.js"
import { primitives as node } from "../crypto/node.js"
import { primitives as web } from "../crypto/web.js"
import { createSignatures, type SignedText } from "./jws.js"

// Generating RSA keys is slow on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const algorithms = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"] as const

interface Signed {
  readonly jwk: PublicJwk
  readonly signed: SignedText
}

async function sign(alg: string, kid?: string): Promise<Signed> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  const payload = new TextEncoder().encode('{"sub":"ada"}')
  const jws = await new CompactSign(payload).setProtectedHeader({ alg }).sign(privateKey)
  const end = jws.lastIndexOf(".")
  const signature = fromBase64url(jws.slice(end + 1)) ?? new Uint8Array()
  const signed = { text: jws.slice(0, end), signature, alg, kid }
  return { jwk: { ...(await exportJWK(publicKey)), ...(kid !== undefined && { kid }) }, signed }
}

const made = new Map<string, Signed>()

beforeAll(async () => {
  for (const alg of algorithms) made.set(alg, await sign(alg))
})

function madeWith(alg: string): Signed {
  return made.get(alg) ?? expect.fail(`no key for ${alg}`)
}

describe("imported keys", () => {
  it("are not awaited from a request that never ends, as on a worker whose visitor left", async () => {
    const { jwk, signed } = madeWith("ES256")
    const createVerifier = vi.fn(web.createVerifier).mockReturnValueOnce(new Promise(() => {}))
    const { verify } = createSignatures({ ...web, createVerifier })
    void verify(signed, [jwk])
    expect([await verify(signed, [jwk]), await verify(signed, [jwk])]).toEqual(["right", "right"])
    expect(createVerifier).toHaveBeenCalledTimes(2)
  })
})

describe.each([
  ["node:crypto", node],
  ["Web Crypto", web],
])("signatures on %s", (_, platform) => {
  const { verify } = createSignatures(platform)

  it.each(algorithms)("of %s are wrong if one bit of text or signature differs", async (alg) => {
    const { jwk, signed } = madeWith(alg)
    await fc.assert(
      fc.asyncProperty(fc.nat(signed.signature.length * 8 - 1), async (bit) => {
        const signature = signed.signature.slice()
        signature[bit >> 3] = (signature[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        expect(await verify({ ...signed, signature }, [jwk])).toBe("wrong")
      }),
      { numRuns: 20 },
    )
    expect(await verify({ ...signed, text: `${signed.text}x` }, [jwk])).toBe("wrong")
  })

  it.each(algorithms)("of %s are wrong if they are truncated, empty or all zero", async (alg) => {
    const { jwk, signed } = madeWith(alg)
    const { length } = signed.signature
    for (const signature of [signed.signature.slice(0, -1), new Uint8Array(), new Uint8Array(length)]) {
      expect(await verify({ ...signed, signature }, [jwk])).toBe("wrong")
    }
  })

  it.each(algorithms)("of %s are right if another library creates them", async (alg) => {
    const { jwk, signed } = madeWith(alg)
    expect(await verify(signed, [jwk])).toBe("right")
    expect(await verify(signed, [jwk])).toBe("right")
  })

  it("are wrong under another key of the same kind", async () => {
    const other = await sign("ES256")
    expect(await verify(madeWith("ES256").signed, [other.jwk])).toBe("wrong")
  })

  it("are never right with an unknown algorithm or a shared secret", async () => {
    const { jwk, signed } = madeWith("RS256")
    const secret = (await exportJWK(await generateSecret("HS256", { extractable: true }))) as PublicJwk
    for (const alg of ["none", "HS256", "RS1", "", "__proto__"]) {
      expect(await verify({ ...signed, alg }, [jwk, secret])).toBe("no key")
    }
  })

  it("are not verified with a key for another use", async () => {
    const { jwk, signed } = madeWith("ES256")
    const others: Partial<PublicJwk>[] = [
      { use: "enc" },
      { key_ops: ["sign"] },
      { alg: "ES384" },
      { kty: "OKP" },
      { crv: "P-384" },
      { d: "AAAA" },
    ]
    for (const other of others) expect(await verify(signed, [{ ...jwk, ...other }])).toBe("no key")
    expect(await verify(signed, [{ ...jwk, use: "sig", key_ops: ["verify"], alg: "ES256" }])).toBe("right")
  })

  it("are refused under an RSA key of less than 2048 bits", async () => {
    const { signed } = madeWith("RS256")
    const n = "s".repeat(171)
    expect(await verify(signed, [{ kty: "RSA", n, e: "AQAB" }])).toBe("no key")
  })

  it("need the key that the header names", async () => {
    const [first, second] = [await sign("ES256", "a"), await sign("ES256", "b")]
    const keys = [first.jwk, second.jwk]
    expect(await verify(first.signed, keys)).toBe("right")
    expect(await verify({ ...first.signed, kid: "b" }, keys)).toBe("wrong")
    expect(await verify({ ...first.signed, kid: "c" }, keys)).toBe("no key")
    expect(await verify(first.signed, [first.jwk, first.jwk])).toBe("several keys")
  })

  it("without a key id need a set with exactly one matching key", async () => {
    const { jwk, signed } = madeWith("ES256")
    const other = madeWith("RS256").jwk
    expect(await verify(signed, [other, jwk])).toBe("right")
    expect(await verify(signed, [jwk, { ...jwk }])).toBe("several keys")
    expect(await verify(signed, [])).toBe("no key")
  })

  it("throw for a malformed key", async () => {
    const { signed } = madeWith("ES256")
    const broken = { kty: "EC", crv: "P-256", x: "AAAA", y: "AAAA" }
    await expect((async () => verify(signed, [broken]))()).rejects.toThrow()
  })
})
