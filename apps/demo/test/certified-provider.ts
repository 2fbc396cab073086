import { generateKeyPairSync, type JsonWebKey, type KeyObject, randomBytes } from "node:crypto"
import express, { type RequestHandler } from "express"
import { type ClientMetadata, type Configuration, Provider } from "oidc-provider"
import { openRecordStore } from "../src/identity-provider/record-store.js"
import { listenOnLoopback } from "../src/web/loopback-server.js"

export type SigningAlgorithm = "RS256" | "PS256" | "ES256" | "EdDSA"

export interface CertifiedProviderOptions {
  /** How ID tokens and signed answers are signed. Default: RS256. */
  readonly signingAlgorithm?: SigningAlgorithm
  /** What is registered of the app beyond its id, secret and address. */
  readonly client?: Partial<ClientMetadata>
  /** Refuses authorization requests that were not pushed. Default: false. */
  readonly requiresPush?: boolean
}

/** The certified `oidc-provider` on a port of this machine. Whoever comes is signed in as the same person at once. */
export interface CertifiedProvider {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** A new key signs from now on; the former one stays published for what is under way. */
  rotateKeys(): void
  close(): Promise<void>
}

const redirectUri = "https://app.test/auth/callback/certified"

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
    // The first of several keys signs.
    const jwks = { keys: [...keys] } as Configuration["jwks"] & object // Keys as Node exports them.
    const cookies = { keys: cookieKeys }
    const provider = new Provider(issuer, { ...shared, adapter: (kind) => records.records(kind), cookies, jwks })
    const app = express()
    app.get("/login/:uid", (request, response, next) => {
      provider.interactionFinished(request, response, { login: { accountId: person.sub } }).catch(next)
    })
    app.use(provider.callback())
    return app
  }

  let answer = build()
  const front = express()
  front.use((request, response, next) => answer(request, response, next))
  server.serve(front)
  return {
    issuer,
    clientId: "latchkey",
    clientSecret,
    rotateKeys() {
      keys = [createSigningKey(signingAlgorithm), ...keys]
      answer = build()
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
        response_types: ["code"],
        grant_types: ["authorization_code"],
        ...algorithms,
        ...client,
      },
    ],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    conformIdTokenClaims: false,
    features: {
      devInteractions: { enabled: false },
      jwtResponseModes: { enabled: true },
      pushedAuthorizationRequests: { enabled: true, requirePushedAuthorizationRequests: requiresPush },
    },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ ...person, sub }) }),
    interactions: { url: (_context, { uid }) => `/login/${uid}` },
    loadExistingGrant: async ({ oidc: { client: asking, session, provider } }) => {
      const grant = new provider.Grant({ clientId: asking?.clientId ?? "", accountId: session?.accountId ?? "" })
      grant.addOIDCScope("openid email profile")
      await grant.save()
      return grant
    },
    pkce: { required: () => true },
    responseTypes: ["code"],
    ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
  }
}

function createSigningKey(alg: SigningAlgorithm): JsonWebKey {
  return { ...createPrivateKey(alg).export({ format: "jwk" }), kid: randomBytes(8).toString("hex"), use: "sig", alg }
}

function createPrivateKey(alg: SigningAlgorithm): KeyObject {
  if (alg === "ES256") return generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey
  if (alg === "EdDSA") return generateKeyPairSync("ed25519").privateKey
  return generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey
}
