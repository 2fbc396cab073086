import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type RunningDemo, startDemo } from "../src/start-demo.js"

describe("the identity provider", () => {
  let folder: string
  let demo: RunningDemo

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "latchkey-demo-"))
    demo = await startDemo({ dataFolder: folder, ports: { app: 0, identityProvider: 0, smtp: 0 } })
  })
  afterAll(async () => {
    await demo.close()
    await rm(folder, { recursive: true })
  })

  function authorize(changes: Record<string, string>): Promise<Response> {
    const query = new URLSearchParams({
      client_id: "latchkey-demo",
      redirect_uri: `${demo.origin}/auth/callback/demo-id`,
      response_type: "code",
      scope: "openid",
      state: "some-state",
      code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
      code_challenge_method: "S256",
      ...changes,
    })
    return fetch(`${demo.identityProviderOrigin}/auth?${query}`, { redirect: "manual" })
  }

  it("rejects an unregistered redirect URI with its own error page", async () => {
    const answer = await authorize({ redirect_uri: "http://localhost:9/auth/callback/demo-id" })
    expect([answer.status, answer.headers.get("location")]).toEqual([400, null])
    expect(await answer.text()).toContain("This sign-in cannot continue")
  })

  it("rejects a request without PKCE", async () => {
    const answer = await authorize({ code_challenge: "", code_challenge_method: "" })
    const target = new URL(answer.headers.get("location") ?? "")
    expect(target.origin).toBe(demo.origin)
    expect(target.searchParams.get("error")).toBe("invalid_request")
  })

  it("issues no tokens to a client with a wrong secret", async () => {
    const answer = await fetch(`${demo.identityProviderOrigin}/token`, {
      method: "POST",
      headers: { authorization: `Basic ${btoa("latchkey-demo:guess")}` },
      body: new URLSearchParams({ grant_type: "authorization_code", code: "guess" }),
    })
    expect([answer.status, await answer.json()]).toMatchObject([401, { error: "invalid_client" }])
  })

  it("always shows the login page, and rejects a login form from another origin", async () => {
    const answer = await authorize({})
    const login = new URL(answer.headers.get("location") ?? "", demo.identityProviderOrigin)
    expect(login.pathname).toMatch(/^\/login\//)
    const cookie = answer.headers
      .getSetCookie()
      .map((line) => line.split(";")[0])
      .join("; ")
    const forged = await fetch(login, {
      method: "POST",
      headers: { cookie, origin: demo.origin },
      body: new URLSearchParams({ name: "Mallory", email: "mallory@id.example" }),
      redirect: "manual",
    })
    expect(forged.status).toBe(403)
    expect((await fetch(login, { headers: { cookie } })).status).toBe(200)
  })

  it("publishes its metadata and its public key only", async () => {
    const discovery = await (await fetch(`${demo.identityProviderOrigin}/.well-known/openid-configuration`)).json()
    expect(discovery).toMatchObject({ issuer: demo.identityProviderOrigin })
    const { keys } = await (await fetch(`${demo.identityProviderOrigin}/jwks`)).json()
    expect(keys).toHaveLength(1)
    expect(Object.keys(keys[0])).not.toContain("d")
  })
})
