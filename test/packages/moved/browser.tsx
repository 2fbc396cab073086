// Components of a React app that moved.
import {
  getCsrfToken,
  getProviders,
  getSession,
  SessionContext,
  type SessionContextValue,
  SessionProvider,
  type SessionProviderProps,
  type SignInAuthorizationParams,
  type SignInOptions,
  type SignInResponse,
  type SignOutParams,
  signIn,
  signOut,
  useSession,
} from "@latchkey/react"
import { useContext } from "react"

export function App({ session, children }: SessionProviderProps) {
  return (
    <SessionProvider session={session} basePath="/auth" refetchInterval={5 * 60} refetchOnWindowFocus>
      {children}
    </SessionProvider>
  )
}

export function Header() {
  const { data: session, status, update } = useSession()
  if (status === "loading") return <p>Loading</p>
  if (status === "authenticated") {
    return (
      <>
        <p>Signed in as {session.user?.email}</p>
        <button type="button" onClick={() => update({ user: { name: "Vera" } })}>
          Rename
        </button>
        <button type="button" onClick={() => signOut()}>
          Sign out
        </button>
      </>
    )
  }
  return (
    <button type="button" onClick={() => signIn("github", { redirectTo: "/members" }, { prompt: "login" })}>
      Sign in
    </button>
  )
}

export function Members() {
  const { data } = useSession({ required: true, onUnauthenticated: () => console.log("no session") })
  return <p>{data?.user?.name}</p>
}

export const useRawSession = (): SessionContextValue | undefined => useContext(SessionContext)

export async function submit(email: string): Promise<string | null> {
  const options: SignInOptions<false> = { email, redirect: false }
  const params: SignInAuthorizationParams = { login_hint: email }
  const result: SignInResponse = await signIn("credentials", options, params)
  if (result.error) return result.code ?? result.error
  const leave: SignOutParams<false> = { redirect: false, redirectTo: "/" }
  const { url } = await signOut(leave)
  const token = await getCsrfToken()
  const providers = await getProviders()
  const session = await getSession({ broadcast: false })
  return `${url}${token}${Object.values(providers ?? {}).map(({ name }) => name)}${session?.expires}`
}
