import { CredentialsSignin, getAuth } from "@latchkey/tanstack-start"
import { redirect } from "@tanstack/react-router"
import { createServerFn } from "@tanstack/react-start"
import { getRequest } from "@tanstack/react-start/server"

/** The session of the visitor, as the browser may see it. */
export const findSession = createServerFn().handler(async () => {
  const session = await getAuth(getRequest()).getSession()
  return session
    ? { user: { name: session.user?.name ?? session.user?.email ?? null }, expires: session.expires }
    : null
})

export const logIn = createServerFn({ method: "POST" })
  .validator((form: FormData) => form)
  .handler(async ({ data }) => {
    try {
      throw redirect({ href: await getAuth(getRequest()).signIn(data), statusCode: 303 })
    } catch (error) {
      if (!(error instanceof CredentialsSignin)) throw error
      const callbackUrl = encodeURIComponent(String(data.get("redirectTo") ?? "/"))
      throw redirect({ href: `/login?error=${error.code}&callbackUrl=${callbackUrl}`, statusCode: 303 })
    }
  })

export const logOut = createServerFn({ method: "POST" }).handler(async () => {
  throw redirect({ href: await getAuth(getRequest()).signOut({ redirectTo: "/" }), statusCode: 303 })
})
