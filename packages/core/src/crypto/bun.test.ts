import { describe, expect, it, vi } from "vitest"
import { primitives as bun, createPrimitives, usesBeforeLoading } from "./bun.js"
import { toTokenHeader } from "./jwt.js"
import { primitives as node } from "./node.js"
import { primitives as web } from "./web.js"

const key = new Uint8Array(64).fill(7)
const header = toTokenHeader("a header")
const text = "what do ya want for nothing?"

async function useOften(mac: (text: string) => unknown, times: number): Promise<void> {
  for (let use = 0; use < times; use++) await mac(text)
}

function toParts(token: string) {
  const [, , iv = "", ciphertext = "", tag = ""] = token.split(".")
  return { iv, ciphertext, tag }
}

describe("the primitives of Bun", () => {
  it("load node:crypto once, after many uses of keys", async () => {
    const load = vi.fn(async () => node)
    const primitives = createPrimitives(load)
    const mac = await primitives.createMac(key)
    expect(primitives.sha256(text)).toBeInstanceOf(Promise)
    await useOften(mac, usesBeforeLoading - 1)
    expect(load).not.toHaveBeenCalled()
    await useOften(mac, usesBeforeLoading)
    expect(load).toHaveBeenCalledOnce()
    expect(primitives.sha256(text)).toEqual(node.sha256(text))
  })

  it("take node:crypto from the process, since a bundler moves imports to the start of the app", async () => {
    const take = vi.spyOn(process, "getBuiltinModule")
    const mac = await bun.createMac(key)
    await useOften(mac, usesBeforeLoading - 1)
    expect(take).not.toHaveBeenCalled()
    await useOften(mac, 1)
    await vi.waitFor(() => expect(bun.sha256(text)).toEqual(node.sha256(text)))
    expect(take.mock.calls).toEqual([["node:crypto"]])
    take.mockRestore()
  })

  it("replace the keys of Web Crypto, with the same results", async () => {
    const primitives = createPrimitives(async () => node)
    const mac = await primitives.createMac(key)
    const cipher = await primitives.createCbcHmacCipher(key)
    const early = await cipher.seal(text, header)
    const hashed = await mac(text)
    await useOften(mac, usesBeforeLoading)
    // Synchronous: they are node's.
    expect(mac(text)).toBe(hashed)
    expect(cipher.open(toParts(early), header)).toBe(text)
    const late = await cipher.seal(text, header)
    expect(await (await web.createCbcHmacCipher(key)).open(toParts(late), header)).toBe(text)
    expect(cipher.open({ ...toParts(late), tag: toParts(early).tag }, header)).toBeNull()
  })

  it("stay with Web Crypto when node:crypto cannot be loaded", async () => {
    const primitives = createPrimitives(() => Promise.reject(new Error("no such module")))
    const mac = await primitives.createMac(key)
    const hashed = await mac(text)
    await useOften(mac, usesBeforeLoading + 1)
    expect(await mac(text)).toBe(hashed)
    expect(primitives.sha256(text)).toBeInstanceOf(Promise)
  })
})
