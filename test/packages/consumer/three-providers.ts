// A type check with three providers of different types.
import { Auth, type AuthConfig } from "@latchkey/core"
import Credentials from "@latchkey/core/providers/credentials"
import GitHub from "@latchkey/core/providers/github"
import Google from "@latchkey/core/providers/google"

const config: AuthConfig = {
  providers: [
    GitHub({ clientId: "a", clientSecret: "b" }),
    Google({ clientId: "a", clientSecret: "b", profile: ({ sub, name }) => ({ id: sub, name: name ?? null }) }),
    Credentials({ credentials: { password: { type: "password" } }, authorize: () => null }),
  ],
  callbacks: {
    jwt: ({ token, user }) => ({ ...token, ...(user?.id && { id: user.id }) }),
    session: ({ session }) => session,
  },
}

export const response: Promise<Response> = Auth(new Request("https://app.example/auth/session"), config)
