// The client in a page, type-checked without the types of Node.
import { createAuthClient, createSessionStore, type Session, signOut } from "@latchkey/client"
import { PasskeyError, type SignInResponse, signIn } from "@latchkey/client/webauthn"
import { SessionProvider, useSession } from "@latchkey/react"
import { createSession, type ReactiveSession } from "@latchkey/svelte"
import { createAuth, type UsedSession } from "@latchkey/vue"

export const staying: Promise<SignInResponse> = signIn("passkey", { action: "authenticate", redirect: false })
export const going: Promise<SignInResponse | undefined> = signIn("passkey", {
  action: "register",
  email: "a@b.example",
})
export const elsewhere = createAuthClient({ basePath: "/api/auth" })
export const isCancelled = (error: unknown): boolean => error instanceof PasskeyError && error.code === "cancelled"
export const session: Session | null = createSessionStore({ session: null }).getState().data
export const left: Promise<string | null> = signOut({ redirect: false }).then(({ url }) => url)
export const faces = [SessionProvider, useSession, createAuth]
export const nameInSvelte = ({ data }: ReactiveSession = createSession()): string | null | undefined => data?.user?.name
export const nameInVue = ({ data }: UsedSession): string | null | undefined => data.value?.user?.name
