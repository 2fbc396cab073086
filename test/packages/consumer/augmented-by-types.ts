// An app that augments `@latchkey/types`: the browser packages and the core have the added fields.
import { getSession } from "@latchkey/client"
import type { Session } from "@latchkey/core"
import { useSession } from "@latchkey/react"
import type { Session as SharedSession } from "@latchkey/types"

declare module "@latchkey/types" {
  interface Session {
    readonly tenant: string
  }
  interface User {
    readonly role: "admin" | "member"
  }
}

type Role = "admin" | "member" | undefined

export const tenantInCore = (session: Session): string => session.tenant
export const tenantInTypes = (session: SharedSession): string => session.tenant
export const roleInBrowser = async (): Promise<Role> => (await getSession())?.user?.role
export const useRole = (): Role => useSession().data?.user?.role
