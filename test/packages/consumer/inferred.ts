// An app without augmented interfaces: its callbacks know the columns that it adds to users, and what it shows of them is
// known wherever the session is read.
import { getSession as getClientSession } from "@latchkey/client"
import { Auth, defineAuth, type SessionOf } from "@latchkey/core"
import { getSession as getExpressSession } from "@latchkey/express"
import { sqlite } from "@latchkey/kysely-adapter/sqlite"
import { useSession } from "@latchkey/react"

export const config = defineAuth({
  adapter: sqlite("app.db", { user: { extra: { role: "text", seats: "number" } } }),
  providers: [],
  callbacks: {
    signIn: ({ user }) => user.role !== "banned",
    jwt: ({ token, user }) => ({ ...token, seats: user?.seats }),
    session: ({ session, user }) => ({
      expires: session.expires,
      user: { name: user.name ?? null, role: user.role, seats: session.user.seats },
    }),
  },
  events: { createUser: ({ user }) => takeSeats(user.seats) },
})

declare module "@latchkey/core" {
  interface Register {
    session: SessionOf<typeof config>
  }
}

declare function takeSeats(count: number | null): void

interface Shown {
  readonly expires: string
  readonly user: { readonly name: string | null; readonly role: string | null; readonly seats: number | null }
}

export const response: Promise<Response> = Auth(new Request("https://app.example/auth/session"), config)
export const ofConfig = (session: SessionOf<typeof config>): Shown => session
export const ofFunction = (session: SessionOf<() => Promise<typeof config>>): Shown => session
export const inExpress = async (req: Parameters<typeof getExpressSession>[0]): Promise<Shown | null> =>
  await getExpressSession(req, config)
export const inBrowser = (): Promise<Shown | null> => getClientSession()
export const useRole = (): string | null | undefined => useSession().data?.user.role

export const wrong = (session: SessionOf<typeof config>): void => {
  // @ts-expect-error: the callback does not show it
  takeSeats(session.user.email)
}
