import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Provider } from "oidc-provider"
import { afterAll, beforeAll, vi } from "vitest"

/** The certified `oidc-provider`, which takes each refresh token once and ends the grant if one is used again. */
export interface RotatingProvider {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** How many refreshes it granted, and how many it refused. */
  readonly refreshes: { readonly granted: number; readonly refused: number }
  /**
   * Drops the next call of the token endpoint, as if its caller had died.
   * @param moment `before`: the provider never gets it. `after`: the provider grants it, and the answer is lost.
   * @returns Resolves once the call is dropped.
   */
  dropNext(moment: "before" | "after"): Promise<void>
  /** Counts the refreshes from zero. */
  resetCounts(): void
  close(): Promise<void>
}

type Handle = (request: IncomingMessage, response: ServerResponse) => void

/** Seconds. Access tokens of a sign-in are due at once; those of a refresh are not. */
export const lifetimes: { readonly signIn: number; readonly refresh: number } = { signIn: 30, refresh: 600 }

/** Keeps the provider from printing, for the tests of a group. Its warnings are about settings for production. */
export function silenceProvider(): void {
  beforeAll(() => {
    vi.spyOn(console, "warn").mockImplementation(() => {})
    vi.spyOn(console, "info").mockImplementation(() => {})
  })
  afterAll(() => void vi.restoreAllMocks())
}

/** @param app Id of the provider in the app, whose address is `https://app.test`. */
export async function startRotatingProvider(app = "rotating"): Promise<RotatingProvider> {
  let handle: Handle = (_, response) => response.end()
  let drop: { readonly moment: "before" | "after"; readonly resolve: () => void } | undefined
  const server = createServer((request, response) => {
    const dropped = drop
    if (request.url !== "/token" || !dropped) return handle(request, response)
    drop = undefined
    if (dropped.moment === "before") return dropped.resolve()
    // The caller never gets the end of the answer.
    response.end = () => {
      dropped.resolve()
      return response
    }
    handle(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo // as: a server on a TCP port has an AddressInfo
  const issuer = `http://127.0.0.1:${port}`
  const clientId = "app"
  const clientSecret = crypto.randomUUID()
  const refreshes = { granted: 0, refused: 0 }
  const provider = createProvider(issuer, { clientId, clientSecret, callback: `https://app.test/auth/callback/${app}` })
  provider.on("grant.success", ({ oidc }) => {
    if (oidc.params?.["grant_type"] === "refresh_token") refreshes.granted++
  })
  provider.on("grant.error", ({ oidc }) => {
    if (oidc.params?.["grant_type"] === "refresh_token") refreshes.refused++
  })
  const answer = provider.callback()
  handle = (request, response) => {
    const { pathname } = new URL(request.url ?? "/", issuer)
    if (!pathname.startsWith("/login/")) return void answer(request, response)
    void provider.interactionFinished(request, response, { login: { accountId: "lin" } })
  }
  return {
    issuer,
    clientId,
    clientSecret,
    refreshes,
    resetCounts: () => void Object.assign(refreshes, { granted: 0, refused: 0 }),
    dropNext: (moment) => new Promise((resolve) => (drop = { moment, resolve })),
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

interface App {
  readonly clientId: string
  readonly clientSecret: string
  readonly callback: string
}

function createProvider(issuer: string, app: App): Provider {
  return new Provider(issuer, {
    clients: [
      {
        client_id: app.clientId,
        client_secret: app.clientSecret,
        redirect_uris: [app.callback],
        grant_types: ["authorization_code", "refresh_token"],
      },
    ],
    claims: { openid: ["sub"], email: ["email", "email_verified"] },
    conformIdTokenClaims: false,
    features: { devInteractions: { enabled: false } },
    findAccount: (_, sub) => ({
      accountId: sub,
      claims: () => ({ sub, email: `${sub}@id.example`, email_verified: true }),
    }),
    interactions: { url: (_, { uid }) => `/login/${uid}` },
    issueRefreshToken: async () => true,
    loadExistingGrant: async ({ oidc: { client, session, provider } }) => {
      const grant = new provider.Grant({ clientId: client?.clientId ?? "", accountId: session?.accountId ?? "" })
      grant.addOIDCScope("openid email")
      await grant.save()
      return grant
    },
    rotateRefreshToken: true,
    ttl: {
      AccessToken: ({ oidc }) =>
        oidc.params?.["grant_type"] === "refresh_token" ? lifetimes.refresh : lifetimes.signIn,
      AuthorizationCode: 60,
      Grant: 600,
      IdToken: 600,
      Interaction: 60,
      RefreshToken: 600,
      Session: 600,
    },
  })
}
