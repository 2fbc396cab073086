// An app that augments `@latchkey/core`: its callbacks, the framework packages and the browser packages have the added
// fields.
import { getSession as getClientSession } from "@latchkey/client"
import { Auth, type Session } from "@latchkey/core"
import { decode } from "@latchkey/core/jwt"
import { getSession as getExpressSession } from "@latchkey/express"
import type { UserAuth } from "@latchkey/fastify"
import { type AuthUser, getAuthUser } from "@latchkey/hono"
import { auth } from "@latchkey/node"
import { useSession } from "@latchkey/react"

// Optional, because the declarations affect every file of the compilation.
declare module "@latchkey/core" {
  interface Session {
    readonly tenant?: string
  }
  interface User {
    readonly role?: "admin" | "member"
  }
  interface JWT {
    readonly tenant?: string
  }
}

type Role = "admin" | "member" | undefined

export const response: Promise<Response> = Auth(new Request("https://app.example/auth/session"), {
  providers: [],
  callbacks: { session: ({ session, token }) => ({ ...session, tenant: token.tenant ?? "none" }) },
})
export const tenantOf = (session: Session): string | undefined => session.tenant
export const roles = (auth: UserAuth, { user }: AuthUser): readonly Role[] => [auth.session?.user?.role, user.role]
export const tenantInExpress = async (...request: Parameters<typeof getExpressSession>): Promise<string | undefined> =>
  (await getExpressSession(...request))?.tenant
export const tenantInNode = async (...request: Parameters<typeof auth>): Promise<string | undefined> =>
  (await auth(...request).getSession())?.tenant
export const tenantInHono = async (c: Parameters<typeof getAuthUser>[0]): Promise<string | undefined> =>
  (await getAuthUser(c))?.session.tenant
export const roleInBrowser = async (): Promise<Role> => (await getClientSession())?.user?.role
export const useTenant = (): string | undefined => useSession().data?.tenant

interface Badge {
  readonly badge: number
}
export const readBadge = async (token: string): Promise<number | undefined> =>
  (await decode<Badge>({ token, secret: "a secret for the type check alone", salt: "badge" }))?.badge
