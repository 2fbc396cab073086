import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"

const root = new URL("..", import.meta.url)

/** The names that each public subpath exports. Types are not among them; `types.test-d.ts` holds those. */
const subpaths: Readonly<Record<string, readonly string[]>> = {
  ".": [
    "Auth",
    "AuthError",
    "CredentialsSignin",
    "createActionURL",
    "customFetch",
    "findConfiguredUrl",
    "isAuthAction",
    "logRejectedRequest",
    "raw",
    "resolveOrigin",
    "respond",
    "setEnvDefaults",
    "skipCSRFCheck",
  ],
  "./adapters": [],
  "./errors": [
    "AccessDenied",
    "AccountNotLinked",
    "AdapterError",
    "AuthError",
    "CallbackRouteError",
    "CredentialsSignin",
    "DuplicateConditionalUI",
    "EmailSignInError",
    "ErrorPageLoop",
    "EventError",
    "ExperimentalFeatureNotEnabled",
    "InvalidCallbackUrl",
    "InvalidCheck",
    "InvalidConfiguration",
    "InvalidEndpoints",
    "InvalidProvider",
    "InvalidRequest",
    "JWTSessionError",
    "MissingAdapter",
    "MissingAdapterMethods",
    "MissingAuthorize",
    "MissingCSRF",
    "MissingSecret",
    "MissingWebAuthnAutocomplete",
    "OAuthAccountNotLinked",
    "OAuthCallbackError",
    "OAuthProfileParseError",
    "OAuthSignInError",
    "SessionTokenError",
    "SignOutError",
    "TooManyRequests",
    "UnknownAction",
    "UnsupportedStrategy",
    "UntrustedHost",
    "Verification",
    "WebAuthnVerificationError",
  ],
  "./integration": [
    "answerRequest",
    "errorPageUrl",
    "findSession",
    "isBelow",
    "isServicePath",
    "readSession",
    "readSignInForm",
    "resolveSettings",
    "serializeCookie",
    "settingsOf",
    "signIn",
    "signOut",
    "updateSession",
  ],
  "./jwt": ["decode", "encode", "getToken"],
  "./providers": [],
  "./rate-limit": ["flexibleStore"],
  "./types": [],
}

/** The one name that each provider's module exports, also as its default. By the last part of the subpath. */
const providers: Readonly<Record<string, string>> = {
  "42-school": "FortyTwo",
  amazon: "Amazon",
  apple: "Apple",
  asgardeo: "Asgardeo",
  atlassian: "Atlassian",
  auth0: "Auth0",
  authentik: "Authentik",
  "azure-ad-b2c": "AzureADB2C",
  "azure-ad": "AzureAD",
  "azure-devops": "AzureDevOps",
  "bankid-no": "BankIDNorway",
  battlenet: "BattleNet",
  beyondidentity: "BeyondIdentity",
  bitbucket: "Bitbucket",
  box: "Box",
  "boxyhq-saml": "BoxyHQSAML",
  bungie: "Bungie",
  clerk: "Clerk",
  "click-up": "ClickUp",
  cognito: "Cognito",
  coinbase: "Coinbase",
  concept2: "Concept2",
  credentials: "Credentials",
  descope: "Descope",
  dingtalk: "DingTalk",
  discord: "Discord",
  dribbble: "Dribbble",
  dropbox: "Dropbox",
  "duende-identity-server6": "DuendeIdentityServer6",
  email: "Email",
  "epic-games": "EpicGames",
  eventbrite: "Eventbrite",
  eveonline: "EveOnline",
  facebook: "Facebook",
  faceit: "FaceIt",
  figma: "Figma",
  forwardemail: "ForwardEmail",
  foursquare: "Foursquare",
  freshbooks: "FreshBooks",
  frontegg: "Frontegg",
  fusionauth: "FusionAuth",
  github: "GitHub",
  gitlab: "GitLab",
  google: "Google",
  gumroad: "Gumroad",
  hackclub: "HackClub",
  hubspot: "HubSpot",
  huggingface: "HuggingFace",
  "identity-server4": "IdentityServer4",
  instagram: "Instagram",
  jumpcloud: "JumpCloud",
  kakao: "Kakao",
  keycloak: "Keycloak",
  kick: "Kick",
  kinde: "Kinde",
  lark: "Lark",
  line: "Line",
  linear: "Linear",
  linkedin: "LinkedIn",
  logto: "Logto",
  loops: "Loops",
  mailchimp: "Mailchimp",
  mailgun: "Mailgun",
  mailru: "MailRu",
  mastodon: "Mastodon",
  mattermost: "Mattermost",
  medium: "Medium",
  "microsoft-entra-id": "MicrosoftEntraID",
  naver: "Naver",
  netlify: "Netlify",
  netsuite: "NetSuite",
  nextcloud: "Nextcloud",
  nodemailer: "Nodemailer",
  notion: "Notion",
  oidc: "OpenIDConnect",
  okta: "Okta",
  onelogin: "OneLogin",
  "ory-hydra": "OryHydra",
  osso: "Osso",
  osu: "Osu",
  passage: "Passage",
  passkey: "Passkey",
  patreon: "Patreon",
  paypal: "PayPal",
  "ping-id": "PingId",
  pinterest: "Pinterest",
  pipedrive: "Pipedrive",
  polar: "Polar",
  postmark: "Postmark",
  railway: "Railway",
  reddit: "Reddit",
  resend: "Resend",
  roblox: "Roblox",
  salesforce: "Salesforce",
  sendgrid: "SendGrid",
  shopify: "Shopify",
  simplelogin: "SimpleLogin",
  slack: "Slack",
  snapchat: "Snapchat",
  spotify: "Spotify",
  strava: "Strava",
  telegram: "Telegram",
  threads: "Threads",
  tiktok: "TikTok",
  todoist: "Todoist",
  trakt: "Trakt",
  twitch: "Twitch",
  twitter: "Twitter",
  "united-effects": "UnitedEffects",
  vercel: "Vercel",
  vipps: "Vipps",
  vk: "VK",
  webauthn: "WebAuthn",
  webex: "Webex",
  wechat: "WeChat",
  wikimedia: "Wikimedia",
  wordpress: "WordPress",
  workos: "WorkOS",
  xero: "Xero",
  yahoo: "Yahoo",
  yandex: "Yandex",
  zitadel: "Zitadel",
  zoho: "Zoho",
  zoom: "Zoom",
}

const load = (subpath: string): Promise<Readonly<Record<string, unknown>>> =>
  import(`@latchkey/core${subpath.slice(1)}`)

describe("the package", () => {
  it("has no subpath that is not listed here", () => {
    const manifest: { readonly exports: object } = JSON.parse(readFileSync(new URL("package.json", root), "utf8"))
    const listed = [...Object.keys(subpaths), "./providers/*", "./package.json"]
    expect(Object.keys(manifest.exports).sort()).toEqual(listed.sort())
  })

  it("has no provider that is not listed here", () => {
    const files = readdirSync(new URL("src/providers", root))
    const modules = files.filter((file) => file.endsWith(".ts") && !file.includes(".test.") && file !== "index.ts")
    expect(modules.sort()).toEqual(Object.keys(providers).map((id) => `${id}.ts`))
  })

  it.each(Object.entries(subpaths))("exports from %s what the contract says", async (subpath, names) => {
    expect(Object.keys(await load(subpath)).sort()).toEqual(names)
  })

  it.each(Object.entries(providers))("exports the provider %s by its name and as the default", async (id, name) => {
    const module = await load(`./providers/${id}`)
    expect(Object.keys(module).sort()).toEqual([name, "default"])
    expect(module["default"]).toBe(module[name])
    expect(module[name]).toBeInstanceOf(Function)
  })

  it("tells its markers apart by identity", async () => {
    const { raw, skipCSRFCheck, customFetch } = await load(".")
    expect([raw, skipCSRFCheck, customFetch].map((marker) => typeof marker)).toEqual(["symbol", "symbol", "symbol"])
    expect(new Set([raw, skipCSRFCheck, customFetch]).size).toBe(3)
  })

  it("has the same error classes at the root and among the errors", async () => {
    const [face, errors] = await Promise.all([load("."), load("./errors")])
    expect(face["AuthError"]).toBe(errors["AuthError"])
    expect(face["CredentialsSignin"]).toBe(errors["CredentialsSignin"])
  })
})
