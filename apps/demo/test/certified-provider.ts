import { generateKeyPairSync, type JsonWebKey, type KeyObject, randomBytes } from "node:crypto"
import express, { type RequestHandler } from "express"
import { type ClientMetadata, type Configuration, type KoaContextWithOIDC, Provider } from "oidc-provider"
import { openRecordStore } from "../src/identity-provider/stores.js"
import { listenOnLoopback } from "../src/web/loopback-server.js"

export type SigningAlgorithm = "RS256" | "PS256" | "ES256" | "EdDSA"

export interface CertifiedProviderOptions {
  /** Signs ID tokens and signed authorization responses. Default: RS256. */
  readonly signingAlgorithm?: SigningAlgorithm
  /** Client metadata besides the id, secret and redirect URI. */
  readonly client?: Partial<ClientMetadata>
  /** Require pushed authorization requests. Default: false. */
  readonly requiresPush?: boolean
  /** Receives the logout tokens that the provider sends to `https://app.test`. Default: they get lost. */
  readonly app?: (request: Request) => Promise<Response>
}

/** The certified `oidc-provider` on this machine. Signs in the same person every time, without a login page. */
export interface CertifiedProvider {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** Signs with a new key from now on. The old key stays published for flows in progress. */
  rotateKeys(): void
  close(): Promise<void>
}

const appOrigin = "https://app.test"
const redirectUri = `${appOrigin}/auth/callback/certified`

const person = { sub: "lin", name: "Lin", email: "lin@id.example", email_verified: true }

export async function startCertifiedProvider(options: CertifiedProviderOptions = {}): Promise<CertifiedProvider> {
  const { signingAlgorithm = "RS256" } = options
  const server = await listenOnLoopback(0)
  const issuer = `http://127.0.0.1:${server.port}`
  const records = openRecordStore(":memory:")
  const clientSecret = randomBytes(32).toString("base64url")
  const shared = toConfiguration(options, clientSecret)
  const cookieKeys = [randomBytes(32).toString("base64url")]
  let keys: readonly JsonWebKey[] = [createSigningKey(signingAlgorithm)]

  function build(): RequestHandler {
    // The provider signs with the first key.
    const jwks = { keys: [...keys] } as Configuration["jwks"] & object // Keys exported by Node.
    const cookies = { keys: cookieKeys }
    const provider = new Provider(issuer, { ...shared, adapter: (kind) => records.records(kind), cookies, jwks })
    const app = express()
    app.get("/login/:uid", (request, response, next) => {
      provider.interactionFinished(request, response, { login: { accountId: person.sub } }).catch(next)
    })
    app.use(provider.callback())
    return app
  }

  let handler = build()
  const front = express()
  front.use((request, response, next) => handler(request, response, next))
  server.serve(front)
  return {
    issuer,
    clientId: "latchkey",
    clientSecret,
    rotateKeys() {
      keys = [createSigningKey(signingAlgorithm), ...keys]
      handler = build()
    },
    async close() {
      await server.close()
      records.close()
    },
  }
}

function toConfiguration(options: CertifiedProviderOptions, clientSecret: string): Configuration {
  const { client, requiresPush = false, signingAlgorithm = "RS256" } = options
  const algorithms = {
    authorization_signed_response_alg: signingAlgorithm,
    id_token_signed_response_alg: signingAlgorithm,
  }
  return {
    clients: [
      {
        client_id: "latchkey",
        client_secret: clientSecret,
        redirect_uris: [redirectUri],
        post_logout_redirect_uris: [`${appOrigin}/auth/signed-out`],
        backchannel_logout_uri: `${appOrigin}/auth/backchannel-logout/certified`,
        backchannel_logout_session_required: true,
        response_types: ["code"],
        grant_types: ["authorization_code"],
        ...algorithms,
        ...client,
      },
    ],
    fetch: (url, init) => {
      const isForApp = new URL(String(url)).origin === appOrigin
      return isForApp && options.app ? options.app(new Request(url, init)) : fetch(url, init)
    },
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    conformIdTokenClaims: false,
    features: {
      backchannelLogout: { enabled: true },
      devInteractions: { enabled: false },
      rpInitiatedLogout: { enabled: true, logoutSource: confirmLogout },
      jwtResponseModes: { enabled: true },
      pushedAuthorizationRequests: { enabled: true, requirePushedAuthorizationRequests: requiresPush },
    },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ ...person, sub }) }),
    interactions: { url: (_context, { uid }) => `/login/${uid}` },
    loadExistingGrant: async ({ oidc: { client: registered, session, provider } }) => {
      const grant = new provider.Grant({ clientId: registered?.clientId ?? "", accountId: session?.accountId ?? "" })
      grant.addOIDCScope("openid email profile")
      await grant.save()
      return grant
    },
    pkce: { required: () => true },
    responseTypes: ["code"],
    ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
  }
}

/** The page that asks whether to sign out, with the answer in a hidden field: the test's browser submits such forms. */
function confirmLogout(context: KoaContextWithOIDC, form: string): void {
  const answered = form.replace("</form>", '<input type="hidden" name="logout" value="yes"></form>')
  context.body = answered.replace('id="op.logoutForm" ', "").replaceAll("/>", ">")
}

function createSigningKey(alg: SigningAlgorithm): JsonWebKey {
  return { ...createPrivateKey(alg).export({ format: "jwk" }), kid: randomBytes(8).toString("hex"), use: "sig", alg }
}

function createPrivateKey(alg: SigningAlgorithm): KeyObject {
  if (alg === "ES256") return generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey
  if (alg === "EdDSA") return generateKeyPairSync("ed25519").privateKey
  return generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey
}
