import { Auth, raw } from "@latchkey/core"
import { CredentialsSignin, MissingCSRF, UnknownAction } from "@latchkey/core/errors"
import type { AuthConfig } from "@latchkey/core/types"
import { describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"
import { requestTo, type TestRequestOptions } from "../setup/requests.js"
import { passwordProvider, sessionCookie } from "../setup/sign-ins.js"

const host = () => openHost({ providers: ({ idp }) => [idp.provider(), passwordProvider()] })

const askRaw = (config: Omit<AuthConfig, "raw">, path: string, options: TestRequestOptions = {}) =>
  Auth(requestTo(path, options), { ...config, raw })

async function csrfPair(config: Omit<AuthConfig, "raw">): Promise<{ csrfToken: string; cookie: string }> {
  const { cookies = [], body } = await askRaw(config, "/auth/csrf")
  const [pair] = cookies
  return { csrfToken: Object(body).csrfToken, cookie: `${pair?.name}=${encodeURIComponent(pair?.value ?? "")}` }
}

describe("raw mode", () => {
  it("returns unserialized objects", async () => {
    const { status, body, headers } = await askRaw(host().config, "/auth/providers")
    expect(status).toBe(200)
    expect(body).toMatchObject({ oidc: { id: "oidc" } })
    expect(new Headers(headers as HeadersInit).get("content-type")).toBe("application/json")
    expect((await askRaw(host().config, "/auth/session")).body).toBeNull()
  })

  it("returns pages as text", async () => {
    expect((await askRaw(host().config, "/auth/signin")).body).toMatch(/^<!doctype html>/i)
  })

  it("returns cookies as name, value and options", async () => {
    const { config } = host()
    const { csrfToken, cookie } = await csrfPair(config)
    const form = { csrfToken, u: "v", p: "right", callbackUrl: "/in" }
    const { redirect, cookies } = await askRaw(config, "/auth/callback/cred", { form, cookie })
    expect(redirect).toBe("https://app.test/in")
    expect(cookies).toContainEqual({
      name: sessionCookie,
      value: expect.stringMatching(/^[\w-]+\.\./),
      options: expect.objectContaining({ httpOnly: true, secure: true, sameSite: "lax", path: "/" }),
    })
  })

  it("throws errors to the caller", async () => {
    const { config } = host()
    await expect(askRaw(config, "/auth/signout", { form: {} })).rejects.toBeInstanceOf(MissingCSRF)
    await expect(askRaw(config, "/auth/signin/oidc")).rejects.toBeInstanceOf(UnknownAction)
    const { csrfToken, cookie } = await csrfPair(config)
    const wrong = askRaw(config, "/auth/callback/cred", { form: { csrfToken, u: "v", p: "wrong" }, cookie })
    await expect(wrong).rejects.toBeInstanceOf(CredentialsSignin)
  })

  it("returns errors if redirects are requested as JSON", async () => {
    const headers = { "x-auth-return-redirect": "1" }
    const { body } = await askRaw(host().config, "/auth/signout", { form: {}, headers })
    expect(body).toEqual({ url: "https://app.test/auth/signin?error=MissingCSRF" })
  })

  it("requires the symbol, not just a truthy value", async () => {
    const { config } = host()
    const looksRaw = { ...config, raw: true } as unknown as AuthConfig // as: a JavaScript host may write this.
    expect(await Auth(requestTo("/auth/session"), looksRaw)).toBeInstanceOf(Response)
  })
})
