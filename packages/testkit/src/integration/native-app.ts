import { type NativeClient, nativeApps } from "@latchkey/core/native-apps"
import type { AuthConfig } from "@latchkey/core/types"
import { expect, it } from "vitest"
import { memoryAdapter } from "../adapter/memory-adapter.js"
import { type Browser, createBrowser } from "../browser/browser.js"
import { type Handler, overHttp } from "../browser/navigation.js"
import { integrationConfig, integrationUser, type RunningServer } from "./server-under-test.js"

/** A native app, for the option `nativeApps` of a server under test. */
export const nativeClient: NativeClient = {
  id: "phone",
  name: "Example for phones",
  redirectUris: ["com.example.app:/callback"],
}

/** A server that a native app sends its requests to. */
interface NativeServer {
  readonly handler: Handler
  readonly basePath: string
}

/**
 * Signs a native app in by a browser that has a session, as its user would.
 * @returns the app's token
 */
export async function signInNativeApp(browser: Browser, { handler, basePath }: NativeServer): Promise<string> {
  const verifier = toBase64url(crypto.getRandomValues(new Uint8Array(32)))
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))
  const [redirectUri = ""] = nativeClient.redirectUris
  const client = { client_id: nativeClient.id, redirect_uri: redirectUri }
  const query = new URLSearchParams({
    ...client,
    response_type: "code",
    state: crypto.randomUUID(),
    code_challenge: toBase64url(new Uint8Array(digest)),
    code_challenge_method: "S256",
  })
  await browser.open(`${basePath}/native?${query}`)
  const { url } = await browser.submit("form")
  const code = url.searchParams.get("code") ?? ""
  const body = new URLSearchParams({ ...client, grant_type: "authorization_code", code, code_verifier: verifier })
  const answer = await handler(new Request(`${browser.origin}${basePath}/native/token`, { method: "POST", body }))
  const { access_token: token } = (await answer.json()) as { readonly access_token?: string }
  if (token === undefined) throw new Error(`The app got no token, but the status ${answer.status}`)
  return token
}

function toBase64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "")
}

/** Registers the test of a native app at a framework's server. */
export function testNativeApp(basePath: string, start: (config: AuthConfig) => Promise<RunningServer>): void {
  it("NAT-23: signs a native app in, and its requests by their token alone", async () => {
    const { id, name, email, username, password } = integrationUser
    const adapter = memoryAdapter()
    await adapter.createUser({ id, name, email, emailVerified: null })
    const native = nativeApps({ clients: [nativeClient] })
    const server = await start({ ...integrationConfig(), adapter, nativeApps: native })
    try {
      const browser = createBrowser({ handler: overHttp, origin: server.origin, basePath })
      await browser.signIn("credentials", { username, password })
      const token = await signInNativeApp(browser, { handler: overHttp, basePath })
      const call = (path: string, options: RequestInit = {}, sent = token) =>
        fetch(`${server.origin}${basePath}/${path}`, {
          ...options,
          redirect: "manual",
          headers: { authorization: `Bearer ${sent}`, "content-type": "application/json" },
        })
      const answer = await call("session")
      expect([answer.status, await answer.json()]).toEqual([
        200,
        expect.objectContaining({ user: expect.objectContaining({ name }) }),
      ])
      expect([answer.headers.getSetCookie(), answer.headers.has("latchkey-token")]).toEqual([[], true])
      expect(await (await call("session", {}, `${token}x`)).json()).toBeNull()
      const left = await call("signout", { method: "POST", body: "{}" })
      expect([left.status, left.headers.getSetCookie()]).toEqual([302, []])
      expect((await browser.session())?.user?.name).toBe(name)
    } finally {
      await server.close()
    }
  })
}
