// A SolidStart app that moved: the route of the endpoints, a server function and the buttons of a page.

import Discord from "@latchkey/core/providers/discord"
import GitHub from "@latchkey/core/providers/github"
import { getSession, SolidAuth, type SolidAuthConfig } from "@latchkey/solid-start"
import { signIn, signOut } from "@latchkey/solid-start/client"

export const authOptions: SolidAuthConfig = {
  providers: [
    Discord({ clientId: process.env.DISCORD_ID, clientSecret: process.env.DISCORD_SECRET }),
    GitHub({ clientId: process.env.GITHUB_ID as string, clientSecret: process.env.GITHUB_SECRET as string }),
  ],
  debug: false,
  basePath: "/api/auth",
  callbacks: {
    session: ({ session, user }) => ({ ...session, user: { ...session.user, id: user?.id } }),
  },
}

export const { GET, POST } = SolidAuth(authOptions)

export async function readUser(request: Request) {
  const session = await getSession(request, authOptions)
  return session?.user ?? null
}

export const buttons = {
  open: () => signIn(),
  github: () => signIn("github"),
  discord: () => signIn("discord", { redirectTo: "/protected" }),
  out: () => signOut(),
  home: () => signOut({ redirectTo: "/" }),
}
