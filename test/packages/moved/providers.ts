// Providers as apps wrote them: options of single vendors, objects of their own, mail over HTTP and SMTP.
import { Auth, type AuthConfig } from "@latchkey/core"
import type {
  Adapter,
  AdapterAccount,
  AdapterAccountType,
  AdapterSession,
  AdapterUser,
  VerificationToken,
} from "@latchkey/core/adapters"
import type {
  CredentialsConfig,
  EmailConfig,
  EmailUserConfig,
  OAuthConfig,
  OAuthUserConfig,
  OIDCConfig,
  OIDCUserConfig,
  Provider,
} from "@latchkey/core/providers"
import AzureDevOps from "@latchkey/core/providers/azure-devops"
import BattleNet from "@latchkey/core/providers/battlenet"
import Dribbble from "@latchkey/core/providers/dribbble"
import Foursquare from "@latchkey/core/providers/foursquare"
import FusionAuth from "@latchkey/core/providers/fusionauth"
import GitHub from "@latchkey/core/providers/github"
import GitLab from "@latchkey/core/providers/gitlab"
import Loops from "@latchkey/core/providers/loops"
import MailGun from "@latchkey/core/providers/mailgun"
import Mastodon from "@latchkey/core/providers/mastodon"
import MicrosoftEntraID from "@latchkey/core/providers/microsoft-entra-id"
import NetSuite from "@latchkey/core/providers/netsuite"
import Nodemailer from "@latchkey/core/providers/nodemailer"
import Notion from "@latchkey/core/providers/notion"
import Resend from "@latchkey/core/providers/resend"
import Sendgrid from "@latchkey/core/providers/sendgrid"
import Webex from "@latchkey/core/providers/webex"
import WeChat from "@latchkey/core/providers/wechat"
import WorkOS from "@latchkey/core/providers/workos"
import type { Account, Awaitable, Profile, Session, Theme, TokenSet, User } from "@latchkey/core/types"

const app = { clientId: process.env.CLIENT_ID, clientSecret: process.env.CLIENT_SECRET }

/** The options that single providers have. */
export const providers: Provider[] = [
  AzureDevOps({ ...app, scope: "vso.profile vso.work" }),
  BattleNet({ ...app, issuer: "https://eu.battle.net/oauth" }),
  Dribbble({ ...app, scope: "public upload" }),
  Foursquare({ ...app, apiVersion: "20230131" }),
  FusionAuth({ ...app, issuer: process.env.AUTH_FUSIONAUTH_ISSUER, tenantId: process.env.AUTH_FUSIONAUTH_TENANT_ID }),
  GitHub({ ...app, enterprise: { baseUrl: process.env.AUTH_GITHUB_ENTERPRISE } }),
  { ...GitLab({ baseUrl: "https://git.app.example" }), token: "https://git.app.example/own/token" },
  Mastodon({ ...app, issuer: "https://social.example" }),
  MicrosoftEntraID({ ...app, issuer: process.env.AUTH_MICROSOFT_ENTRA_ID_ISSUER, profilePhotoSize: 64 }),
  NetSuite({ ...app, accountID: "1234567", userinfo: "https://1234567.restlets.api.netsuite.com/me", issuer: "x" }),
  Notion({ ...app, redirectUri: "https://app.example/auth/callback/notion" }),
  Webex({ ...app, apiBaseUrl: "https://api.ciscospark.com/v1" }),
  WeChat({ ...app, platformType: "OfficialAccount" }),
  WorkOS({ ...app, connection: "conn_01" }),
  Loops({ apiKey: process.env.AUTH_LOOPS_KEY, transactionalId: process.env.AUTH_LOOPS_TRANSACTIONAL_ID }),
  MailGun({ from: "no-reply@app.example", region: "EU" }),
  Sendgrid({ from: "no-reply@app.example" }),
]

/** A provider of the app's own, as a factory with a profile of its own. */
export interface HarbourProfile extends Record<string, any> {
  uid: string
  mail: string
}

export function Harbour<P extends HarbourProfile>(options: OAuthUserConfig<P>): OAuthConfig<P> {
  return {
    id: "harbour",
    name: "Harbour",
    type: "oauth",
    authorization: "https://harbour.example/authorize?scope=who",
    token: { url: "https://harbour.example/token", conform: async (response: Response) => response },
    userinfo: {
      url: "https://harbour.example/me",
      async request({ tokens, provider }: { tokens: TokenSet; provider: { name: string } }) {
        const answer = await fetch("https://harbour.example/me", {
          headers: { authorization: `Bearer ${tokens.access_token}` },
        })
        console.log(provider.name)
        return await answer.json()
      },
    },
    profile(profile) {
      return { id: profile.uid, name: profile.display ?? null, email: profile.mail, image: profile.avatar?.url }
    },
    style: { logo: "/harbour.svg", bg: "#fff", text: "#000" },
    options,
  }
}

export const corp = <P extends Record<string, any>>(options: OIDCUserConfig<P>): OIDCConfig<P> => ({
  id: "corp",
  name: "Corp",
  type: "oidc",
  issuer: "https://id.corp.example",
  checks: ["pkce", "state", "nonce"],
  idToken: false,
  client: { token_endpoint_auth_method: "client_secret_post" },
  options,
})

export const handWritten: AuthConfig = {
  providers: [
    Harbour({ ...app, allowDangerousEmailAccountLinking: true }),
    corp({
      ...app,
      account: (account) => ({ access_token: account.access_token, refresh_token: account.refresh_token }),
    }),
    {
      id: "my-provider",
      name: "My provider",
      type: "oidc",
      issuer: "https://my.oidc-provider.example",
      clientId: process.env.CLIENT_ID,
      clientSecret: process.env.CLIENT_SECRET,
      profile: (profile: Profile) => ({ id: profile.sub ?? "", name: profile.name, image: profile.picture }),
    },
    {
      id: "http-email",
      name: "Email",
      type: "email",
      maxAge: 60 * 60 * 24,
      sendVerificationRequest: sendByService,
    },
  ],
  secret: process.env.AUTH_SECRET,
  trustHost: true,
}

async function sendByService({
  identifier: to,
  provider,
  url,
  theme,
}: {
  identifier: string
  provider: EmailConfig
  url: string
  theme: Theme
}) {
  const { host } = new URL(url)
  const response = await fetch("https://api.resend.com/emails", {
    method: "POST",
    headers: { Authorization: `Bearer ${provider.apiKey}`, "Content-Type": "application/json" },
    body: JSON.stringify({ from: provider.from, to, subject: `Sign in to ${host}`, html: paint(theme), text: url }),
  })
  if (!response.ok) throw new Error(`Resend error: ${JSON.stringify(await response.json())}`)
}

const paint = (theme: Theme) =>
  `<b style="color: ${theme.brandColor || "#346df1"}; background: ${theme.buttonText || "#fff"}">`

interface MailTransport {
  sendMail(mail: { to: string; from: string | undefined }): Promise<{ rejected: string[]; pending: string[] }>
}
declare function createTransport(server: string | { host: string; port: number }): MailTransport

export const mailers: EmailUserConfig[] = [
  Resend({ from: "no-reply@app.example", sendVerificationRequest: (params) => sendByService(params) }),
  Nodemailer({
    server: {
      host: process.env.EMAIL_SERVER_HOST,
      port: process.env.EMAIL_SERVER_PORT,
      auth: { user: process.env.EMAIL_SERVER_USER, pass: process.env.EMAIL_SERVER_PASSWORD },
    },
    from: process.env.EMAIL_FROM,
    async sendVerificationRequest({ identifier, provider }) {
      const result = await createTransport(provider.server).sendMail({ to: identifier, from: provider.from })
      const failed = result.rejected.concat(result.pending).filter(Boolean)
      if (failed.length) throw new Error(`Email (${failed.join(", ")}) could not be sent`)
    },
    normalizeIdentifier(identifier: string): string {
      let [local, domain] = identifier.toLowerCase().trim().split("@")
      domain = domain.split(",")[0]
      return `${local}@${domain}`
    },
    generateVerificationToken: async () => crypto.randomUUID(),
  }),
]

export const handle = (request: Request): Promise<Response> => Auth(request, handWritten)

/** A store of the app's own. */
export function MyAdapter(): Adapter {
  const users = new Map<string, AdapterUser>()
  return {
    async createUser(user) {
      users.set(user.id, user)
      return user
    },
    getUser: async (id) => users.get(id) ?? null,
    async getUserByAccount({ providerAccountId, provider }: Pick<AdapterAccount, "provider" | "providerAccountId">) {
      return users.get(`${provider}:${providerAccountId}`) ?? null
    },
    async updateUser(user) {
      const changed = { ...users.get(user.id), ...user } as AdapterUser
      users.set(user.id, changed)
      return changed
    },
    linkAccount: async (account: AdapterAccount) => account,
    async deleteUser(userId) {
      users.delete(userId)
    },
    async createSession({ sessionToken, userId, expires }) {
      return { sessionToken, userId, expires }
    },
    async getSessionAndUser(sessionToken): Promise<{ session: AdapterSession; user: AdapterUser } | null> {
      return null
    },
    updateSession: async ({ sessionToken }) => null,
    deleteSession: async (sessionToken) => undefined,
    createVerificationToken: async (token: VerificationToken) => token,
    useVerificationToken: async ({ identifier, token }) => null,
  }
}

/** A column of a schema, as the query builders type it. */
export const column: { type: AdapterAccountType } = { type: "oidc" }

export type Named = [Account, Awaitable<Session>, User, CredentialsConfig]
