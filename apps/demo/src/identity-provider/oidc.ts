import { type Configuration, type KoaContextWithOIDC, Provider } from "oidc-provider"
import type { DemoSecrets } from "../settings/secrets.js"
import { renderProviderError } from "./login-page.js"
import type { People } from "./people.js"
import type { RecordStore } from "./record-store.js"

/** The one app that is registered at the provider. */
export interface RegisteredApp {
  readonly clientId: string
  readonly redirectUri: string
}

export interface OidcNeeds {
  readonly issuer: string
  readonly app: RegisteredApp
  readonly secrets: DemoSecrets
  readonly people: People
  readonly records: RecordStore
}

const minuteSeconds = 60
const hourSeconds = 60 * minuteSeconds

/**
 * An OpenID provider that asks who you are and believes the answer. Everything else is as strict as the real ones are.
 */
export function oidcProvider(needs: OidcNeeds): Provider {
  return new Provider(needs.issuer, {
    ...clientsAndKeys(needs),
    adapter: (kind) => needs.records.records(kind),
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    // The app reads the ID token, and people expect their name in it without a second request.
    conformIdTokenClaims: false,
    features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: false } },
    findAccount: (_context, sub) => {
      const person = needs.people.find(sub)
      if (!person) return undefined
      return { accountId: sub, claims: () => ({ ...person, email_verified: true }) }
    },
    interactions: { url: (_context, interaction) => `/login/${interaction.uid}` },
    loadExistingGrant: grantEverythingAsked,
    pkce: { required: () => true },
    renderError: (context, out) => {
      context.type = "html"
      context.body = renderProviderError(out.error_description ?? out.error)
    },
    ttl: {
      AccessToken: hourSeconds,
      AuthorizationCode: minuteSeconds,
      Grant: hourSeconds,
      IdToken: hourSeconds,
      Interaction: hourSeconds,
      Session: hourSeconds,
    },
  })
}

function clientsAndKeys({ app, secrets }: OidcNeeds): Configuration {
  return {
    clients: [
      {
        client_id: app.clientId,
        client_secret: secrets.client,
        redirect_uris: [app.redirectUri],
        response_types: ["code"],
        grant_types: ["authorization_code"],
      },
    ],
    jwks: { keys: [secrets.signingKey] },
    cookies: {
      keys: [secrets.cookies],
      // No path of this server: the browser never returns this cookie, so that every sign-in asks anew who you are.
      // That is what one wants from a demo; a real provider would remember.
      long: { path: "/not-remembered", httpOnly: true, sameSite: "lax" },
    },
  }
}

/** The app is the demo's own, so that nobody is asked for consent. */
async function grantEverythingAsked(context: KoaContextWithOIDC): Promise<InstanceType<Provider["Grant"]> | undefined> {
  const { client, session, provider } = context.oidc
  if (!client || !session?.accountId) return undefined
  const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId })
  grant.addOIDCScope("openid email profile")
  await grant.save()
  return grant
}
