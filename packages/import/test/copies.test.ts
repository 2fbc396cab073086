import type { AcceptedSource } from "@latchkey/core/types"
import { fixedClock } from "@latchkey/testkit"
import { exportJWK, generateKeyPair, SignJWT } from "jose"
import { describe, expect, it } from "vitest"
import { firebase } from "../src/firebase.js"
import { supabase } from "../src/supabase.js"
import { day, until } from "./setup/fixtures.js"
import { made } from "./setup/made-sessions.js"
import { openMoving, plant, sessionOf } from "./setup/moving-setup.js"
import { nextAuth } from "./setup/sources.js"

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

/** Base64url of the same bytes: the bits that do not count are changed. */
function respell(text: string): string {
  if (text.length % 4 < 2) return text
  return `${text.slice(0, -1)}${alphabet[alphabet.indexOf(text.at(-1) ?? "") ^ 1]}`
}

/** Other texts that decode to the same parts. */
function respellParts(text: string): readonly string[] {
  const parts = text.split(".")
  const replace = (at: number, part: string) => parts.map((each, n) => (n === at ? part : each)).join(".")
  return parts.flatMap((part, n) => [
    replace(n, respell(part)),
    ...(part.length % 4 > 1 ? [replace(n, part.padEnd(Math.ceil(part.length / 4) * 4, "="))] : []),
    replace(n, part.replaceAll("-", "+")),
    replace(n, part.replaceAll("_", "/")),
  ])
}

interface Copied {
  readonly cookie: { readonly name: string; readonly value: string }
  readonly userId: string
  source(): AcceptedSource
  /** Other texts that may be read as the same session. */
  respell(value: string): readonly string[]
}

const now = Math.floor(new Date(day).valueOf() / 1000)
const { publicKey, privateKey } = await generateKeyPair("ES256")
const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: "k1", alg: "ES256", use: "sig" }] }
const sign = (claims: object) =>
  new SignJWT({ sub: "user-1", email: "ada@example.com", exp: now + 1000, ...claims })
    .setProtectedHeader({ alg: "ES256", kid: "k1" })
    .sign(privateKey)

const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

/** The other signature that a key accepts with ECDSA: the order of the curve without `s`. */
function mirror(token: string): string {
  const [header, claims, encoded = ""] = token.split(".")
  const signature = Buffer.from(encoded, "base64url")
  const s = order - BigInt(`0x${signature.subarray(32).toString("hex")}`)
  const mirrored = Buffer.concat([signature.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, "0"), "hex")])
  return `${header}.${claims}.${mirrored.toString("base64url")}`
}

const supabaseToken = await sign({ iss: "https://base.test/auth/v1", aud: "authenticated", iat: now - 60 })
const firebaseToken = await sign({ iss: "https://session.firebase.google.com/project", aud: "project" })

const fixture = (name: string): Pick<Copied, "cookie" | "userId" | "source"> => {
  const session = made[name]
  const [cookie] = session?.cookies ?? []
  if (!session || !cookie) throw new Error(`There is no session of ${name}`)
  return { cookie, userId: session.userId, source: session.source }
}

const copied: Readonly<Record<string, Copied>> = {
  "next-auth 4": {
    cookie: nextAuth.cookies[0] ?? { name: "", value: "" },
    userId: nextAuth.userId,
    source: nextAuth.source,
    respell: respellParts,
  },
  "nextjs-auth0": { ...fixture("nextjs-auth0"), respell: respellParts },
  "express-openid-connect": { ...fixture("express-openid-connect"), respell: respellParts },
  "iron-session": {
    ...fixture("iron-session"),
    respell: (value) => ["", "~1", "~2"].map((end) => value.replace(/~\d$/, "") + end),
  },
  "authkit-nextjs": {
    ...fixture("authkit-nextjs"),
    respell: (value) => ["", "~1", "~2"].map((end) => value.replace(/~\d$/, "") + end),
  },
  Firebase: {
    cookie: { name: "__session", value: firebaseToken },
    userId: "user-1",
    source: () => firebase({ projectId: "project", jwks, until }),
    respell: (value) => [...respellParts(value), mirror(value)],
  },
  "Supabase without the id of a session": {
    cookie: { name: "sb-base-auth-token", value: encodeURIComponent(JSON.stringify({ access_token: supabaseToken })) },
    userId: "user-1",
    source: () => supabase({ url: "https://base.test", jwks, until }),
    respell: () => {
      const cookieOf = (token: string, more = {}) =>
        encodeURIComponent(JSON.stringify({ ...more, access_token: token }))
      return [
        cookieOf(supabaseToken, { x: 1 }),
        cookieOf(mirror(supabaseToken)),
        ...respellParts(supabaseToken).map((t) => cookieOf(t)),
      ]
    },
  },
}

describe("MIG-01: the cookie of another library, written otherwise,", () => {
  it.each(Object.entries(copied))("is nobody's after the sign-out here: %s", async (_name, copy) => {
    const { cookie, userId, source } = copy
    using _ = fixedClock(day)
    const { host } = await openMoving("jwt", { accept: [source()], userId })
    const browser = plant(host.newBrowser(), [cookie])
    expect((await browser.session())?.user?.email).toBe("ada@example.com")
    await browser.signOut()
    const others = copy.respell(cookie.value)
    expect(others.some((value) => value !== cookie.value)).toBe(true)
    const emails = await Promise.all(
      [cookie.value, ...others].map(async (value) => (await sessionOf(host, `${cookie.name}=${value}`)).email),
    )
    expect(emails.filter((email) => email !== null)).toEqual([])
  })
})

describe("MIG-08: a forged cookie of cookie-session", () => {
  it("does not spoil the same value with the right signature, which another browser has", async () => {
    const { source, userId = "", cookies = [] } = made["cookie-session"] ?? {}
    if (!source) throw new Error("There is no session of cookie-session")
    using _ = fixedClock(day)
    const { host } = await openMoving("jwt", { accept: [source()], userId })
    const [value, signature] = cookies.map((cookie) => `${cookie.name}=${cookie.value}`)
    // Such a value is the id of a user in JSON: anyone can guess it.
    for (const forged of [`${value}`, `${value}; session.sig=${"A".repeat(27)}`])
      expect((await sessionOf(host, forged)).email).toBeNull()
    expect((await sessionOf(host, `${value}; ${signature}`)).email).toBe("ada@example.com")
  })
})
