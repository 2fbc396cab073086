import express, { type Express, type Request, type RequestHandler, type Response, Router, urlencoded } from "express"
import { type Configuration, type KoaContextWithOIDC, Provider } from "oidc-provider"
import type { DemoSecrets } from "../settings/settings.js"
import { stylesheetRoutes } from "../theme/stylesheet.js"
import { onlyAsLocalhost, onlyFromOwnPages, pageHeaders, readField } from "../web/middleware.js"
import { type LoginForm, renderLoginPage, renderProviderError } from "./login-page.js"
import { renderLogoutPage, renderProviderHome, renderSignedOutPage } from "./logout-page.js"
import type { People, Person, RecordStore } from "./stores.js"

/** The app that is registered with the provider. */
export interface RegisteredApp {
  readonly clientId: string
  readonly redirectUri: string
  /** Left out for an app that is not told of sign-outs at the provider. */
  readonly logout?: {
    /** Where users return to after they signed out at the provider. */
    readonly signedOutUri: string
    /** Where the provider sends its logout tokens. */
    readonly tokenUri: string
  }
}

export interface IdentityProviderOptions {
  readonly issuer: string
  readonly app: RegisteredApp
  readonly secrets: Pick<DemoSecrets, "client" | "cookies" | "signingKey">
  readonly people: People
  readonly records: RecordStore
}

/** The demo's identity provider: the certified `oidc-provider` with its own login page. */
export function identityProvider(options: IdentityProviderOptions): Express {
  const provider = oidcProvider(options)
  const server = express()
  server.disable("x-powered-by")
  server.use(onlyAsLocalhost(options.issuer))
  server.use(stylesheetRoutes())
  const formTargets = [new URL(options.app.redirectUri).origin]
  server.use("/login", pageHeaders({ formTargets }))
  server.use(loginRoutes(provider, options.people))
  server.get("/", pageHeaders({ formTargets: [] }), (_request, response) => {
    response.type("html").send(renderProviderHome())
  })
  server.use(provider.callback())
  return server
}

const minuteSeconds = 60
const hourSeconds = 60 * minuteSeconds

/** Signs anyone in without a password. Everything else is as strict as a real provider. */
function oidcProvider({ issuer, app, secrets, people, records }: IdentityProviderOptions): Provider {
  return new Provider(issuer, {
    ...clientsAndKeys(app, secrets),
    adapter: (kind) => records.records(kind),
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    // Put the name into the ID token, which spares the app a second request.
    conformIdTokenClaims: false,
    features: {
      backchannelLogout: { enabled: true },
      devInteractions: { enabled: false },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (context, form) => {
          context.body = renderLogoutPage(form)
        },
        postLogoutSuccessSource: (context) => {
          context.body = renderSignedOutPage()
        },
      },
    },
    // Without the dispatcher, which refuses addresses of this machine: the app that gets the logout tokens runs here.
    fetch: (url, init) => fetch(url, { ...init, ...{ dispatcher: undefined } }),
    findAccount: (_context, sub) => {
      const person = people.find(sub)
      if (!person) return undefined
      return { accountId: sub, claims: () => ({ ...person, email_verified: true }) }
    },
    interactions: { url: (_context, interaction) => `/login/${interaction.uid}` },
    loadExistingGrant: grantAllScopes,
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

function clientsAndKeys(app: RegisteredApp, secrets: IdentityProviderOptions["secrets"]): Configuration {
  return {
    clients: [
      {
        client_id: app.clientId,
        client_secret: secrets.client,
        redirect_uris: [app.redirectUri],
        ...(app.logout && {
          post_logout_redirect_uris: [app.logout.signedOutUri],
          backchannel_logout_uri: app.logout.tokenUri,
          // Each session here ends its own session at the app, and no other one of the person.
          backchannel_logout_session_required: true,
        }),
        response_types: ["code"],
        grant_types: ["authorization_code"],
      },
    ],
    jwks: { keys: [secrets.signingKey] },
    cookies: {
      keys: [secrets.cookies],
      // The browser returns this cookie to the page that signs out alone, so every sign-in shows the login page. A real
      // provider would remember the person.
      long: { path: "/session", httpOnly: true, sameSite: "lax" },
    },
  }
}

/** Skips the consent page: the only registered app is the demo. */
async function grantAllScopes(context: KoaContextWithOIDC): Promise<InstanceType<Provider["Grant"]> | undefined> {
  const { client, session, provider } = context.oidc
  if (!client || !session?.accountId) return undefined
  const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId })
  grant.addOIDCScope("openid email profile")
  await grant.save()
  return grant
}

function loginRoutes(provider: Provider, people: People): Router {
  const router = Router()
  router.get("/login/:uid", requireInteraction(provider), (_request, response) => {
    response.type("html").send(renderLoginPage({ name: "", email: "", problem: null }))
  })
  router.post(
    "/login/:uid",
    onlyFromOwnPages(provider.issuer),
    urlencoded({ extended: false, limit: "8kb" }),
    requireInteraction(provider),
    async (request, response) => submitLogin(provider, people, request, response),
  )
  return router
}

/** Shows an error page when this browser has no sign-in in progress, for example after an old bookmark. */
function requireInteraction(provider: Provider): RequestHandler {
  return async (request, response, next) => {
    try {
      await provider.interactionDetails(request, response)
    } catch {
      // Missing, expired or from another browser: none of them can continue.
      response.status(400).type("html").send(renderProviderError("This sign-in has expired or was already completed."))
      return
    }
    next()
  }
}

async function submitLogin(provider: Provider, people: People, request: Request, response: Response): Promise<void> {
  if (readField(request, "action") === "cancel") {
    const refusal = { error: "access_denied", error_description: "The user canceled the sign-in." }
    return provider.interactionFinished(request, response, refusal)
  }
  const chosen = choosePerson(people, request)
  if ("problem" in chosen) {
    response.status(400).type("html").send(renderLoginPage(chosen))
    return
  }
  await provider.interactionFinished(request, response, { login: { accountId: chosen.sub } })
}

/** @returns the chosen or entered person, or the form with its error */
function choosePerson(people: People, request: Request): Person | LoginForm {
  const known = people.find(readField(request, "person"))
  if (known) return known
  const name = readField(request, "name")
  const email = readField(request, "email")
  if (!name || name.length > 100) return { name, email, problem: { field: "name", text: "Enter a name." } }
  if (!/^[^\s@"<>,;]+@[^\s@"<>,;]+$/.test(email) || email.length > 200) {
    return { name, email, problem: { field: "email", text: "Enter an email address, such as lin@id.example." } }
  }
  return people.save(name, email)
}
