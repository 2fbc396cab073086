import { describe, expect, it } from "vitest"
import { decode, encode } from "../crypto/jwt.js"
import { InvalidConfiguration, MissingSecret } from "../errors/errors.js"
import { getToken } from "./index.js"

const secret = "correct horse battery staple, twice over"
const plain = "authjs.session-token"
const secure = "__Secure-authjs.session-token"

function issue(sub: string, salt: string = plain): Promise<string> {
  return encode({ token: { sub }, secret, salt })
}

function withHeaders(headers: Record<string, string>): Request {
  return new Request("https://app.test/", { headers })
}

describe("getToken", () => {
  it.each([
    "Bearer",
    "Bearer ",
    "Bearer %E0%A4%A",
    "Bearer a b",
    `Bearer ${"x".repeat(1024 * 1024)}`,
    "Basic x",
    "",
    "x",
  ])("JWT-21: returns null for a bad Authorization header: %.20s", async (authorization) => {
    const req = { headers: { authorization } }
    expect(await getToken({ req, secret })).toBeNull()
    if (authorization !== "Bearer x") expect(await getToken({ req, raw: true })).toBeNull()
  })

  it("returns null for a token with another secret or salt, and without a token", async () => {
    const req = withHeaders({ cookie: `${plain}=${await issue("u-v")}` })
    expect(await getToken({ req, secret: "another" })).toBeNull()
    expect(await getToken({ req, secret, salt: "another" })).toBeNull()
    expect(await getToken({ req, secret, secureCookie: true })).toBeNull()
    expect(await getToken({ req: withHeaders({}), secret })).toBeNull()
    expect(await getToken({ req: withHeaders({ cookie: `${plain}=%E0%A4%A` }), secret })).toBeNull()
  })

  it("throws without a request, and without a usable secret when there is a token to decode", async () => {
    const req = withHeaders({ authorization: "Bearer x" })
    await expect(getToken({ req: undefined as never })).rejects.toThrow(TypeError) // As plain JavaScript may call it.
    await expect(getToken({ req })).rejects.toThrow(MissingSecret)
    await expect(getToken({ req, secret: "" })).rejects.toThrow(MissingSecret)
    await expect(getToken({ req, secret: ["a", ""] })).rejects.toThrow(InvalidConfiguration)
    await expect(getToken({ req: withHeaders({}) })).resolves.toBeNull()
    await expect(getToken({ req, raw: true })).resolves.toBe("x")
  })

  it("does not fall back to the Authorization header when the cookie is invalid", async () => {
    const req = withHeaders({ cookie: `${plain}=x`, authorization: `Bearer ${await issue("u-v")}` })
    expect(await getToken({ req, secret })).toBeNull()
  })

  it("reads the session cookie, by its https name with `secureCookie`", async () => {
    const cookie = `${plain}=${await issue("plain")}; ${secure}=${await issue("secure", secure)}`
    expect(await getToken({ req: withHeaders({ cookie }), secret })).toMatchObject({ sub: "plain" })
    expect(await getToken({ req: withHeaders({ cookie }), secret, secureCookie: true })).toMatchObject({
      sub: "secure",
    })
  })

  it("reads a cookie of any name, which is also the default salt", async () => {
    const req = withHeaders({ cookie: `a=${await issue("a", "a")}; b=${await issue("b", "pepper")}` })
    expect(await getToken({ req, secret, cookieName: "a" })).toMatchObject({ sub: "a" })
    expect(await getToken({ req, secret, cookieName: "b", salt: "pepper" })).toMatchObject({ sub: "b" })
  })

  it("joins the chunks of a large token", async () => {
    const token = await encode({ token: { sub: "x".repeat(4000) }, secret, salt: plain })
    const cookie = `${plain}.1=${token.slice(3936)}; ${plain}.0=${token.slice(0, 3936)}`
    expect(await getToken({ req: withHeaders({ cookie }), secret })).toMatchObject({ sub: "x".repeat(4000) })
    expect(await getToken({ req: withHeaders({ cookie }), raw: true })).toBe(token)
  })

  it("finds the valid one of two cookies of the same name", async () => {
    const token = await issue("u-v")
    for (const cookie of [`${plain}=bad; ${plain}=${token}`, `${plain}=${token}; ${plain}=bad`]) {
      expect(await getToken({ req: withHeaders({ cookie }), secret })).toMatchObject({ sub: "u-v" })
    }
  })

  it("reads a bearer token, percent-decoded, whatever the case of the scheme", async () => {
    const token = await issue("u-v")
    for (const authorization of [`Bearer ${token}`, `bearer ${token.replaceAll(".", "%2E")}`]) {
      expect(await getToken({ req: withHeaders({ authorization }), secret })).toMatchObject({ sub: "u-v" })
    }
  })

  it("reads plain header objects, in any case and as lists", async () => {
    const token = await issue("u-v")
    const all = [
      { cookie: `${plain}=${token}` },
      { Cookie: ["a=b", `${plain}=${token}`] },
      { AUTHORIZATION: `Bearer ${token}` },
    ]
    for (const headers of all) expect(await getToken({ req: { headers }, secret })).toMatchObject({ sub: "u-v" })
  })

  it("reads the cookies that a framework parsed if there is no Cookie header", async () => {
    const req = { headers: {}, cookies: { [plain]: await issue("u-v") } }
    expect(await getToken({ req, secret })).toMatchObject({ sub: "u-v" })
    expect(await getToken({ req: { ...req, headers: { cookie: "a=b" } }, secret })).toBeNull()
  })

  it("calls the app's decode with the secret as given", async () => {
    const req = withHeaders({ authorization: "Bearer mine" })
    const decoded = await getToken({ req, secret, decode: ({ token, secret, salt }) => ({ token, secret, salt }) })
    expect(decoded).toEqual({ token: "mine", secret, salt: plain })
    const failing = () => Promise.reject(new Error("mine"))
    expect(await getToken({ req, secret, decode: failing })).toBeNull()
  })

  it("logs a rejected token without quoting it", async () => {
    const messages: unknown[] = []
    const logger = { debug: (...entry: unknown[]) => messages.push(...entry) }
    await getToken({ req: withHeaders({ authorization: "Bearer quoted" }), secret, logger })
    expect(messages).toEqual(["getToken: a token was rejected"])
  })

  it("JWT-22: returns an unverified token with `raw`", async () => {
    const token: string | null = await getToken({ req: withHeaders({ cookie: `${plain}=forged` }), raw: true })
    expect(token).toBe("forged")
    await expect(decode({ token: "forged", secret, salt: plain })).rejects.toThrow()
  })
})
