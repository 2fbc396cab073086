import { getIronSession } from "iron-session"
import { type App, type AppOptions, alicePassword, type Peer, secret, type User } from "../app.ts"

const options = { cookieName: "__Secure-iron-session", password: secret, ttl: 30 * 24 * 60 * 60, chunk: true }

const noSignIn = "no sign-in"

/** The app of its documentation: it checks the password itself, and keeps the user in the sealed cookie. */
export const ironSession: Peer = {
  id: "iron-session",
  packageName: "iron-session",
  lacks: {
    provider: noSignIn,
    mail: noSignIn,
    linking: noSignIn,
    totp: noSignIn,
    refresh: noSignIn,
    limits: "leaves limits to the app",
    stored: "has no stored sessions",
    forms: "leaves forms to the app",
  },
  open: (options) => Promise.resolve(openApp(options)),
}

const openApp = ({ alice, picture }: AppOptions): App => ({
  async handle(request) {
    const { pathname } = new URL(request.url)
    const response = new Response(null, { headers: { "content-type": "application/json" } })
    const session = await getIronSession<{ user?: User & { image?: string } }>(request, response, options)
    if (pathname === "/session") return Response.json(session.user ?? null)
    if (pathname === "/logout") session.destroy()
    if (pathname === "/login") {
      const { email, password } = Object.fromEntries(new URLSearchParams(await request.text()))
      if (email !== alice.email || password !== alicePassword) return Response.json(null, { status: 401 })
      session.user = { id: "1", email: alice.email, ...(picture !== undefined && { image: picture }) }
      await session.save()
    }
    return response
  },
  startSignIn: () => Promise.reject(new Error(noSignIn)),
  mailLink: () => Promise.reject(new Error(noSignIn)),
  async signInWithPassword(browser, email, password) {
    const body = new URLSearchParams({ email, password })
    return (await browser.fetch("/login", { method: "POST", body })).ok
  },
  whoIs: async (browser) => (await browser.fetch("/session")).json() as Promise<User | null>,
  async signOut(browser) {
    await browser.fetch("/logout", { method: "POST" })
  },
  forgeSignOut: () => ({ path: "/logout", fields: {} }),
  openPath: "/login",
  sessionCookie: options.cookieName,
  leakedTokens: () => [],
})
