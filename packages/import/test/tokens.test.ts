import { hkdfSync } from "node:crypto"
import type { AcceptedSource } from "@latchkey/core/types"
import { fixedClock } from "@latchkey/testkit"
import { EncryptJWT, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose"
import { describe, expect, it, vi } from "vitest"
import { clerk } from "../src/clerk.js"
import { firebase } from "../src/firebase.js"
import type { JwkSet } from "../src/formats/jwk-set.js"
import { nextjsAuth0 } from "../src/nextjs-auth0.js"
import { supabase } from "../src/supabase.js"
import { day, until } from "./setup/fixtures.js"
import { openMoving, sessionOf } from "./setup/moving-setup.js"

const now = Math.floor(new Date(day).valueOf() / 1000)

async function createKey(kid: string, alg: "RS256" | "ES256" = "RS256") {
  const { publicKey, privateKey } = await generateKeyPair(alg)
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: "sig" } }
}

const own = await createKey("k1")
const foreign = await createKey("k1")
const jwks: JwkSet = { keys: [own.jwk] }

type Claims = { readonly [Name in keyof JWTPayload]: JWTPayload[Name] | undefined }

const sign = (claims: Claims, key = own, header: object = {}) =>
  // as: JSON leaves out what is undefined.
  new SignJWT(claims as JWTPayload).setProtectedHeader({ alg: key.alg, kid: key.kid, ...header }).sign(key.privateKey)

/** A token of `none`, or with HS256 and the public key as its secret. */
async function forge(claims: JWTPayload, alg: "none" | "HS256"): Promise<string> {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url")
  if (alg === "none") return `${encode({ alg, kid: "k1" })}.${encode(claims)}.`
  const secret = new TextEncoder().encode(JSON.stringify(own.jwk))
  return new SignJWT(claims).setProtectedHeader({ alg, kid: "k1" }).sign(secret)
}

interface Hosted {
  readonly cookie: string
  readonly claims: JWTPayload
  /** Changes to the claims. A token with any of them must be refused. */
  readonly wrong: readonly JWTPayload[]
  source(keys: { readonly jwks?: JwkSet; readonly fetch?: typeof fetch }, changes?: object): AcceptedSource
}

const hosted: Readonly<Record<string, Hosted>> = {
  Firebase: {
    cookie: "__session",
    claims: {
      iss: "https://session.firebase.google.com/project",
      aud: "project",
      sub: "user-1",
      email: "ada@example.com",
      auth_time: now - 60,
      iat: now - 60,
      exp: now + 1000,
    },
    wrong: [{ iss: "https://session.firebase.google.com/other" }, { aud: "other" }, { aud: ["project"] }, { iss: "x" }],
    source: (keys, changes) => firebase({ projectId: "project", until, ...keys, ...changes }),
  },
  Clerk: {
    cookie: "__session",
    claims: {
      iss: "https://clerk.app.test",
      azp: "https://app.test",
      sub: "user-1",
      email: "ada@example.com",
      sid: "sess_1",
      sts: "active",
      fva: [3, -1],
      nbf: now,
      exp: now + 60,
    },
    wrong: [{ iss: "https://clerk.other.test" }, { azp: "https://other.test" }, { azp: undefined }, { nbf: now + 60 }],
    source: (keys, changes) =>
      clerk({ issuer: "https://clerk.app.test", authorizedParties: ["https://app.test"], until, ...keys, ...changes }),
  },
}

const emailWith = async (source: AcceptedSource, name: string, value: string) => {
  const { host } = await openMoving("none", { accept: [source] })
  return (await sessionOf(host, `${name}=${value}`)).email
}

describe.each(Object.entries(hosted))("a token of %s", (_name, { cookie, claims, wrong, source }) => {
  const emailOf = (value: string) => emailWith(source({ jwks }), cookie, value)

  it("is a session", async () => {
    using _ = fixedClock(day)
    expect(await emailOf(await sign(claims))).toBe("ada@example.com")
  })

  it("MIG-02: is nobody's with other claims, another key, another algorithm or another header", async () => {
    using _ = fixedClock(day)
    const token = await sign(claims)
    const forged = [
      ...(await Promise.all(wrong.map((changes) => sign({ ...claims, ...changes })))),
      await sign({ ...claims, exp: now - 60 }),
      await sign({ ...claims, exp: undefined }),
      await sign(claims, foreign),
      await sign(claims, own, { kid: "k2" }),
      await sign(claims, own, { crit: ["b64"], b64: true }),
      await forge(claims, "none"),
      await forge(claims, "HS256"),
      `${token}.AA`,
      token.split(".").slice(0, 2).join("."),
      `${token.slice(0, -8)}AAAAAAAA`,
    ]
    for (const value of forged) expect(await emailOf(value)).toBeNull()
  })

  it("MIG-13: is nobody's for now while its keys cannot be had, and they are asked for once a minute", async () => {
    using clock = fixedClock(day)
    const asked: string[] = []
    let answer = () => Response.json({}, { status: 503 })
    const ask: typeof fetch = async (address) => {
      asked.push(String(address))
      return answer()
    }
    const { host } = await openMoving("none", { accept: [source({ fetch: ask })] })
    const lasting = { ...claims, exp: now + 1000 }
    const header = `${cookie}=${await sign(lasting)}`
    for (let n = 0; n < 5; n++) expect(await sessionOf(host, header)).toEqual({ email: null, set: [] })
    expect(asked).toHaveLength(1)
    clock.advance({ minutes: 1 })
    answer = () =>
      Response.json({ keys: [...Array.from({ length: 60 }, (_, n) => ({ ...foreign.jwk, kid: `x${n}` }))] })
    expect(await sessionOf(host, header)).toEqual({ email: null, set: [] })
    clock.advance({ minutes: 1 })
    answer = () => Response.json({ keys: [foreign.jwk && { ...foreign.jwk, kid: "old" }, own.jwk] })
    expect((await sessionOf(host, header)).email).toBe("ada@example.com")
    expect(asked).toHaveLength(3)
  })

  it("is its user's if the clock was set back since its keys were asked for in vain", async () => {
    using clock = fixedClock(day)
    const answers = [Response.json({}, { status: 503 }), Response.json({ keys: [own.jwk] })]
    const ask: typeof fetch = async () => answers.shift() ?? Response.error()
    const { host } = await openMoving("none", { accept: [source({ fetch: ask })] })
    const header = `${cookie}=${await sign({ ...claims, exp: now + 1000 })}`
    expect((await sessionOf(host, header)).email).toBeNull()
    clock.advance({ seconds: -1 })
    expect((await sessionOf(host, header)).email).toBe("ada@example.com")
  })

  it("MIG-12: is its user's at five first requests at once, for which the keys are asked once", async () => {
    using _ = fixedClock(day)
    const asked: ((answer: Response) => void)[] = []
    const ask: typeof fetch = () => new Promise((resolve) => void asked.push(resolve))
    const { host } = await openMoving("none", { accept: [source({ fetch: ask })] })
    const header = `${cookie}=${await sign({ ...claims, exp: now + 1000 })}`
    const answers = Array.from({ length: 5 }, () => sessionOf(host, header))
    await vi.waitUntil(() => asked.length > 0)
    // All others are answered meanwhile, if they do not wait.
    for (let turns = 0; turns < 100; turns++) await new Promise(setImmediate)
    for (const answer of asked) answer(Response.json({ keys: [own.jwk] }))
    const emails = (await Promise.all(answers)).map(({ email }) => email)
    expect(emails).toEqual(Array(5).fill("ada@example.com"))
    expect(asked).toHaveLength(1)
  })

  it("MIG-13: is nobody's for now if asking for keys throws", async () => {
    using _ = fixedClock(day)
    const ask: typeof fetch = async () => {
      throw new TypeError("fetch failed")
    }
    expect(await emailWith(source({ fetch: ask }), cookie, await sign(claims))).toBeNull()
  })
})

describe("MIG-11: a session that is not its user's own", () => {
  const read = async (name: string, changes: JWTPayload, options: object = {}) => {
    const { cookie, claims, source } = hosted[name] ?? expect.unreachable()
    return emailWith(source({ jwks }, options), cookie, await sign({ ...claims, ...changes }))
  }

  it.each([
    ["Clerk", { act: { sub: "admin" } }, "impersonated"],
    ["Clerk", { sts: "pending" }, "pending"],
    ["Firebase", { firebase: { sign_in_provider: "anonymous" } }, "anonymous"],
  ] as const)("of %s with %j is nobody's unless `allow` says otherwise", async (name, changes, concern) => {
    using _ = fixedClock(day)
    expect(await read(name, changes)).toBeNull()
    const seen: unknown[] = []
    const allow = (found: { readonly concerns: readonly string[] }) => {
      seen.push(...found.concerns)
      return true
    }
    expect(await read(name, changes, { allow })).toBe("ada@example.com")
    expect(seen).toEqual([concern])
  })

  it("of an anonymous user of Supabase is nobody's", async () => {
    using _ = fixedClock(day)
    const secret = "the secret of a project, 0123456789-abcdef"
    const claims = {
      iss: "https://ref.supabase.co/auth/v1",
      aud: "authenticated",
      sub: "user-1",
      email: "ada@example.com",
      exp: now + 60,
    }
    const toValue = async (changes: JWTPayload) => {
      const token = new SignJWT({ ...claims, ...changes }).setProtectedHeader({ alg: "HS256" })
      const session = { access_token: await token.sign(new TextEncoder().encode(secret)) }
      return `base64-${Buffer.from(JSON.stringify(session)).toString("base64url")}`
    }
    const source = () => supabase({ url: "https://ref.supabase.co", jwtSecret: secret, until })
    expect(await emailWith(source(), "sb-ref-auth-token", await toValue({}))).toBe("ada@example.com")
    expect(await emailWith(source(), "sb-ref-auth-token", await toValue({ is_anonymous: true }))).toBeNull()
    expect(await emailWith(source(), "sb-ref-auth-token", await toValue({ aud: "anon" }))).toBeNull()
  })
})

describe("a session of nextjs-auth0 whose token has no expiry", () => {
  const secret = "the secret of nextjs-auth0, 0123456789"
  const user = { sub: "auth0|ada", email: "ada@example.com" }

  async function ask(session: JWTPayload, at: string) {
    using _ = fixedClock(at)
    const key = new Uint8Array(hkdfSync("sha256", secret, "", "JWE CEK", 32))
    const token = await new EncryptJWT(session).setProtectedHeader({ alg: "dir", enc: "A256GCM" }).encrypt(key)
    const { host } = await openMoving("none", { accept: [nextjsAuth0({ secret, until })] })
    const { email, set } = await sessionOf(host, `__session=${token}`)
    return { email, isCleared: set.some((line) => line.startsWith("__session=;")) }
  }

  it("is taken over until the reader is off, as the first releases of version 4 wrote none", async () => {
    const session = { user, internal: { createdAt: Math.floor(Date.parse(day) / 1000) } }
    expect(await ask(session, day)).toEqual({ email: user.email, isCleared: true })
    const last = new Date(until.valueOf() - 1000).toISOString()
    expect(await ask(session, last)).toEqual({ email: user.email, isCleared: true })
    expect((await ask(session, until.toISOString())).email).toBeNull()
  })

  it("MIG-02: is nobody's if it is not of version 4, or has an expiry that cannot be read", async () => {
    const internal = { createdAt: Math.floor(Date.parse(day) / 1000) }
    expect(await ask({ user }, day)).toEqual({ email: null, isCleared: true })
    for (const exp of [null, "soon", {}])
      expect(await ask({ user, internal, exp } as unknown as JWTPayload, day)).toEqual({ email: null, isCleared: true })
  })
})
