import { afterEach, describe, expect, it, vi } from "vitest"
import { argon2id } from "./argon2id.js"
import { phpass } from "./foreign-formats.js"
import { parsePhc } from "./format.js"
import { createHashing, createQueue, type HashingOptions } from "./hashing.js"

const cheap = { memory: 64, passes: 1 }
const [pepper, newPepper] = ["a pepper of at least 32 characters", "another pepper, of 32 characters"]

const open = (options: Partial<HashingOptions> = {}, queue = createQueue(2, 50)) =>
  createHashing({ hasher: argon2id(cheap), accept: [], pepper: [], ...options }, queue)

describe("a stored password", () => {
  it("LIM-08: a planted text that is almost a hash is refused in linear time", async () => {
    for (const planted of ["vv=0".repeat(255), "a=b".repeat(340), "a=b,".repeat(255), "a=".repeat(511)]) {
      for (const text of [`$v$${planted}`, `$v$${planted}\0`, `$v$${planted}$`]) expect(parsePhc(text)).toBeNull()
    }
    const accepted = await open().hash("a password")
    expect([...(parsePhc(accepted)?.parameters.keys() ?? [])]).toEqual(["m", "t", "p"])
    for (const list of ["", ",m=64", "m=64,", "m=64,,t=1", "m=64t=1,", "m=", "=64", "m=6=4"])
      expect(parsePhc(accepted.replace("m=64,t=1,p=1", list))).toBeNull()
  })

  it("is verified however its blanks and accents were typed", async () => {
    const hashing = open()
    const stored = await hashing.hash("caf\u00e9 au lait")
    expect(await hashing.verify("cafe\u0301\u00a0au\u3000lait", stored)).toMatchObject({
      isRight: true,
      isOutdated: false,
    })
    expect((await hashing.verify("Caf\u00e9 au lait", stored)).isRight).toBe(false)
  })

  it("is not taken for right if a format answers with anything but true", async () => {
    const format = { name: "own", accepts: () => true, verify: async () => ({ isRight: false }) as never } // as: in JavaScript it can
    const hashing = open({ hasher: { ...argon2id(cheap), accepts: () => false }, accept: [format] })
    expect((await hashing.verify("a password", "a stored text")).isRight).toBe(false)
  })

  it("PASS-07: cannot be guessed without the pepper, even if the password is known", async () => {
    const stored = await open({ pepper: [pepper] }).hash("a known password")
    expect(stored).not.toContain(pepper)
    const guesses = ["a known password", "", pepper]
    const plain = argon2id()
    for (const guess of guesses) expect(await plain.verify(stored, new TextEncoder().encode(guess))).toBe(false)
    await expect(open().verify("a known password", stored)).rejects.toThrow(/^The pepper of a stored password hash/)
    expect((await open({ pepper: [pepper] }).verify("a known password", stored)).isRight).toBe(true)
  })

  it("is outdated with an old pepper, none, other costs, or another format", async () => {
    const current = open({ pepper: [newPepper, pepper] })
    for (const former of [open({ pepper: [pepper] }), open()]) {
      expect(await current.verify("a password", await former.hash("a password"))).toMatchObject({
        isRight: true,
        isOutdated: true,
      })
    }
    expect(await current.verify("a password", await current.hash("a password"))).toMatchObject({ isOutdated: false })
    const costlier = open({ hasher: argon2id({ ...cheap, passes: 2 }) })
    expect(await costlier.verify("a password", await open().hash("a password"))).toMatchObject({ isOutdated: true })
    const foreign = open({ accept: [phpass()] })
    expect(await foreign.verify("test12345", "$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0")).toMatchObject({
      isRight: true,
      isOutdated: true,
    })
  })

  it("names its pepper by an id, and stays a PHC string", async () => {
    const parsed = parsePhc(await open({ pepper: [pepper] }).hash("a password"))
    expect([...(parsed?.parameters ?? [])].map(([name]) => name)).toEqual(["m", "t", "p", "keyid"])
  })

  it("notes that it could not be looked up among the breached ones", async () => {
    const hashing = open({ pepper: [pepper] })
    const unchecked = await hashing.hash("a password", { isChecked: false })
    const verdict = { isRight: true, isOutdated: false, isUnchecked: true }
    expect(await hashing.verify("a password", unchecked)).toEqual(verdict)
    const checked = await hashing.hash("a password")
    expect(await hashing.verify("a password", checked)).toEqual({ ...verdict, isUnchecked: false })
  })

  it("is never longer than 1,024 bytes, which are not hashed", async () => {
    const hashing = open({ hasher: { ...argon2id(cheap), verify: () => Promise.reject(new Error("was hashed")) } })
    for (const typed of ["a".repeat(1025), "\u20ac".repeat(342), "a".repeat(10_000_000)])
      expect((await hashing.verify(typed, null)).isRight).toBe(false)
  })

  it("PASS-02: costs a hash for a user who does not exist, and for a text that is none", async () => {
    const hasher = argon2id(cheap)
    const verify = vi.fn(hasher.verify)
    const hashing = open({ hasher: { ...hasher, verify } })
    expect((await hashing.verify("a password", null)).isRight).toBe(false)
    expect(verify).toHaveBeenCalledTimes(1)
    await expect(hashing.verify("a password", "plain text")).rejects.toThrow(/none of the formats/)
    expect(verify).toHaveBeenCalledTimes(2)
    const hostile = "$argon2id$v=19$m=4194304,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMa"
    await expect(hashing.verify("a password", hostile)).rejects.toThrow(/^The cost m of a stored/)
    expect(verify).toHaveBeenCalledTimes(4)
  })
})

describe("the queue of hashes", () => {
  it("PASS-05: computes a few at a time, lets 50 wait, and refuses more", async () => {
    let [running, most] = [0, 0]
    const hasher = argon2id(cheap)
    const counted: typeof hasher = {
      ...hasher,
      async verify(stored, password) {
        most = Math.max(most, ++running)
        const result = await hasher.verify(stored, password)
        running--
        return result
      },
    }
    const hashing = open({ hasher: counted })
    const all = await Promise.allSettled(Array.from({ length: 300 }, () => hashing.verify("a password", null)))
    const refused = all.filter(({ status }) => status === "rejected")
    expect([most, refused.length]).toEqual([2, 248])
    expect(refused[0]).toMatchObject({ reason: { type: "TooManyRequests", retryAfterSeconds: 5 } })
    expect((await hashing.verify("a password", null)).isRight).toBe(false)
    expect(() => hashing.assertRoom()).not.toThrow()
  })

  it("frees its place after a failure", async () => {
    const queue = createQueue(1, 0)
    await expect(queue.run(() => Promise.reject(new Error("failed")))).rejects.toThrow("failed")
    const held = Promise.withResolvers<void>()
    const first = queue.run(() => held.promise)
    expect(() => queue.assertRoom()).toThrow(/Too many passwords/)
    held.resolve()
    await first
    expect(await queue.run(async () => 7)).toBe(7)
  })
})

describe("Argon2id", () => {
  afterEach(() => void vi.unstubAllGlobals())

  it("is missing where neither the platform nor a package has it", () => {
    expect(argon2id().findDefect?.()).toBeNull()
    vi.stubGlobal("process", { getBuiltinModule: () => undefined })
    expect(argon2id().findDefect?.()).toMatch(
      /^argon2id: this platform has no Argon2\. Use Node 24\.7 or later, install/,
    )
  })

  it("is there without the platform's, with the package", () => {
    const { process } = globalThis
    const getBuiltinModule = (name: string) => (name === "node:crypto" ? {} : process.getBuiltinModule(name))
    vi.stubGlobal("process", { getBuiltinModule })
    expect(argon2id().findDefect?.()).toBeNull()
  })
})
