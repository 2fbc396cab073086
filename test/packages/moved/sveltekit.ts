// A SvelteKit app that moved: `auth.ts`, `hooks.server.ts`, a layout, form actions and a button of a page.

import Credentials from "@latchkey/core/providers/credentials"
import GitHub from "@latchkey/core/providers/github"
import { CredentialsSignin, SvelteKitAuth, type SvelteKitAuthConfig } from "@latchkey/sveltekit"
import { signIn as signInByScript, signOut as signOutByScript } from "@latchkey/sveltekit/client"
import { type Actions, redirect, type ServerLoad } from "@sveltejs/kit"
import { type Handle, sequence } from "@sveltejs/kit/hooks"

declare const GITHUB_ID: string
declare const GITHUB_SECRET: string

class InvalidLogin extends CredentialsSignin {
  code = "wrong-user"
}

const options: SvelteKitAuthConfig = {
  trustHost: true,
  secret: process.env.AUTH_SECRET,
  providers: [
    GitHub({ clientId: GITHUB_ID, clientSecret: GITHUB_SECRET }),
    Credentials({
      credentials: { email: { label: "Email" }, password: { label: "Password", type: "password" } },
      async authorize(credentials) {
        const response = await fetch("https://api.app.example/login", {
          method: "POST",
          body: JSON.stringify(credentials),
        })
        if (!response.ok) throw new InvalidLogin()
        return (await response.json()) ?? null
      },
    }),
  ],
  callbacks: {
    async jwt({ token, user }) {
      if (user) token.role = "member"
      return token
    },
    async session({ session, token }) {
      session.user = { ...session.user, id: token.sub ?? "" }
      return session
    },
  },
}

export const { handle: authHandle, signIn, signOut } = SvelteKitAuth(options)

export const forEachTenant = SvelteKitAuth(async (event) => {
  const clientId = event.url.hostname
  return { ...options, providers: [GitHub({ clientId, clientSecret: GITHUB_SECRET })] }
})

const authorizationHandle: Handle = async ({ event, resolve }) => {
  if (event.url.pathname.startsWith("/authenticated")) {
    const session = await event.locals.auth()
    if (!session) throw redirect(303, "/auth/signin")
  }
  return resolve(event)
}

export const handle: Handle = sequence(authHandle, authorizationHandle)

export const load: ServerLoad = async (event) => {
  const session = await event.locals.auth()
  if (!session?.user?.id) redirect(303, "/login")
  return { session }
}

export const actions: Actions = { default: signIn }
export const leave: Actions = { default: signOut }

export const buttons = {
  github: () => signInByScript("github"),
  password: () => signInByScript("credentials", { email: "ada@app.example", password: "x", redirectTo: "/" }),
  out: () => signOutByScript({ redirectTo: "/" }),
}
