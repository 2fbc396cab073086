import { accessTokens, disconnectAccount, getAccessToken } from "@latchkey/core/access-tokens"
import { accountArea, listPasskeys, listSignInMethods, updateProfile } from "@latchkey/core/account-area"
import { getToken } from "@latchkey/core/jwt"
import { nativeApps } from "@latchkey/core/native-apps"
import { providerLogout } from "@latchkey/core/provider-logout"
import Passkey from "@latchkey/core/providers/passkey"
import Passwords from "@latchkey/core/providers/passwords"
import { listFactors, recoveryCodes, secondFactors, totp } from "@latchkey/core/second-factors"
import { listSessions, requireFresh, trackSessions } from "@latchkey/core/sessions"
import type { AuthConfig } from "@latchkey/core/types"
import { memoryAdapter, testEmail } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { routes } from "../../src/actions/routes.js"
import { getService } from "../../src/auth.js"
import { openHost } from "../setup/hosts.js"
import { call, clients, signInApp } from "../setup/native-setup.js"
import { ask, requestTo } from "../setup/requests.js"
import { cookiesOf, strategies } from "../setup/tracked-setup.js"

const appRoutes = ["account/sessions", "session", "signout"]

/** A service with every feature. Ada has the token of an app; Eve is signed in, in a browser. */
async function openBoth(strategy: (typeof strategies)[number]) {
  const adapter = memoryAdapter()
  for (const name of ["ada", "eve"]) {
    const email = `${name}@example.com`
    await adapter.createUser({ id: `u-${name}`, email, name, emailVerified: new Date() })
    await adapter.linkAccount({
      provider: "oidc",
      providerAccountId: `${name}-1`,
      type: "oidc",
      userId: `u-${name}`,
      access_token: `${name}'s token`,
      expires_at: 4_000_000_000,
    })
  }
  const host = openHost({
    adapter,
    isSearched: false, // The access tokens are returned on purpose.
    session: { strategy, track: trackSessions() },
    secondFactors: secondFactors({ factors: [totp(), recoveryCodes()] }),
    accountArea: accountArea(),
    accessTokens: accessTokens({ encrypt: false }),
    providerLogout: providerLogout(),
    nativeApps: nativeApps({ clients }),
    providers: ({ idp }) => [
      idp.provider(),
      testEmail({ code: true }),
      Passwords({ mail: { send: () => {} }, breached: false }),
      Passkey(),
      {
        id: "cred",
        name: "Password",
        type: "credentials",
        credentials: { name: {} },
        authorize: ({ name }) => adapter.getUserByEmail(`${String(name)}@example.com`),
      },
    ],
  })
  const [adas, eves] = [host.newBrowser(), host.newBrowser()]
  await adas.signIn("cred", { name: "ada" })
  await eves.signIn("cred", { name: "eve" })
  const native = {
    host,
    adapter,
    signIn: async () => adas,
    idOf: async () => "",
    newProcess: () => async () => never(),
  }
  const token = await signInApp(native, adas)
  return { host, adapter, token, eves, cookie: cookiesOf(eves), csrfToken: await eves.csrfToken() }
}

function never(): never {
  throw new Error("unused")
}

const pathsOf = (config: AuthConfig) => {
  const withId = new Map([
    ["signin", ["signin", "signin/oidc", "signin/email"]],
    ["callback", ["callback/oidc", "callback/email", "callback/cred", "callback/passkey"]],
    ["webauthn-options", ["webauthn-options", "webauthn-options/passkey?action=register"]],
  ])
  const names = Object.keys({ ...routes, ...getService(config).featureRoutes })
  return names.flatMap((name) => withId.get(name) ?? [name.replace(/\*$/, "oidc")])
}

describe.each(strategies)(
  "a request with the token of one user and the cookies of another, with %s sessions",
  (strategy) => {
    it("NAT-28: is that of the token at every path, and nobody's where no token is taken", async () => {
      const { host, token, cookie } = await openBoth(strategy)
      const paths = pathsOf(host.config)
      expect(paths.length).toBeGreaterThan(30)
      for (const path of paths) {
        const headers = { accept: "application/json" }
        for (const sent of [token, `${token}x`]) {
          const both = await call({ host }, sent, `/auth/${path}`, { cookie, headers })
          const alone = await call({ host }, sent, `/auth/${path}`, { headers })
          expect([path, both.status, both.location]).toEqual([path, alone.status, alone.location])
          expect([path, both.text]).toEqual([path, expect.not.stringMatching(/\beve\b/)])
          expect([path, both.headers.getSetCookie()]).toEqual([path, []])
          expect([path, both.headers.get("cache-control")]).toEqual([path, expect.stringMatching(/private.*no-store/)])
          const isAdas = /\bada@example/.test(both.text) || both.headers.has("latchkey-token")
          if (!appRoutes.includes(path) || sent !== token) expect([path, isAdas]).toEqual([path, false])
        }
      }
      expect((await call({ host }, token, "/auth/session", { cookie })).text).toContain("ada@example.com")
    })

    it("NAT-28: changes nothing of the user of the cookies", async () => {
      const { host, adapter, token, cookie, csrfToken, eves } = await openBoth(strategy)
      const before = adapter.calls.length
      for (const path of pathsOf(host.config)) {
        if (appRoutes.includes(path)) continue
        for (const sent of [token, `${token}x`]) {
          for (const action of ["end-others", "update", "begin-totp", "request", "remove"]) {
            const form = { csrfToken, action, name: "Mallory", email: "new@example.com", id: "x", choice: "continue" }
            const answer = await call({ host }, sent, `/auth/${path}`, { cookie, form })
            expect([path, answer.text]).toEqual([path, expect.not.stringMatching(/\beve\b/)])
            expect([path, answer.headers.getSetCookie()]).toEqual([path, []])
          }
        }
      }
      const named = adapter.calls.slice(before).filter((done) => JSON.stringify(done).includes("u-eve"))
      expect(named).toEqual([])
      expect((await eves.session())?.user?.email).toBe("eve@example.com")
    })

    it("NAT-28: is that of the token for every function for servers", async () => {
      const { host, adapter, token, cookie } = await openBoth(strategy)
      const { config } = host
      const secret = config.secret ?? ""
      const functions: Readonly<Record<string, (request: Request) => Promise<unknown>>> = {
        listSessions: (request) => listSessions(request, config),
        listSignInMethods: (request) => listSignInMethods(request, config),
        listFactors: (request) => listFactors(request, config),
        listPasskeys: (request) => listPasskeys(request, config),
        requireFresh: (request) => requireFresh(request, config),
        updateProfile: (request) => updateProfile(request, config, { name: "Mallory" }),
        getAccessToken: (request) => getAccessToken(request, config, { provider: "oidc" }),
        getToken: (req) => getToken({ req, secret, secureCookie: true }),
        "getToken raw": (req) => getToken({ req, raw: true, secureCookie: true }),
        disconnectAccount: (request) => disconnectAccount(request, config, { provider: "oidc" }),
      }
      for (const [name, run] of Object.entries(functions)) {
        for (const sent of [token, `${token}x`, `${token} x`]) {
          const headers = { cookie, authorization: `Bearer ${sent}` }
          const found: unknown = await run(requestTo("/", { headers })).catch((error: unknown) => String(error))
          const text = found instanceof Response ? await found.text() : JSON.stringify(found)
          expect([name, text]).toEqual([name, expect.not.stringMatching(/\beve\b/)])
          if (sent !== token) expect([name, text]).toEqual([name, expect.not.stringMatching(/\bada\b/)])
        }
      }
      expect((await adapter.getUser("u-eve"))?.name).toBe("eve")
      expect(await adapter.listAccountsByUserId("u-eve")).toHaveLength(1)
    })

    it("NAT-28: is that of the cookies with a token of someone else, such as a proxy", async () => {
      const { host, cookie } = await openBoth(strategy)
      for (const authorization of ["Basic c3RhZ2luZzpzdGFnaW5n", "Bearer eyJhbGciOiJub25lIn0.e30."]) {
        const answer = await ask(host, "/auth/account/factors", { cookie, headers: { authorization } })
        expect(answer.status).toBe(200)
      }
    })
  },
)
