import { Auth, type AuthConfig } from "@latchkey/core"
import Auth0 from "@latchkey/core/providers/auth0"
import GitHub from "@latchkey/core/providers/github"
import Google from "@latchkey/core/providers/google"

export const config: AuthConfig = {
  providers: [GitHub, Google({ clientId: "id", clientSecret: "secret" }), Auth0({ issuer: "https://id.example.test" })],
  trustHost: true,
  callbacks: {
    jwt: ({ token, account }) => (account ? { ...token, provider: account.provider } : token),
    session: ({ session, token }) => ({ ...session, provider: token["provider"] }),
  },
}

export async function answer(request: Request): Promise<Response> {
  return await Auth(request, config)
}
