import { getSession, signIn, signOut } from "@latchkey/solid-start"
import { action, query, redirect } from "@solidjs/router"
import { getRequestEvent } from "solid-js/web"
import { authConfig } from "./auth"

/** The current user, or null when signed out. */
export const findUser = query(async () => {
  "use server"
  const event = getRequestEvent()
  const session = event ? await getSession(event, authConfig) : null
  return session?.user ?? null
}, "user")

/** The current user, for private pages. Redirects to the login page when signed out, and back afterwards. */
export const requireUser = query(async (page: string) => {
  "use server"
  const event = getRequestEvent()
  const session = event ? await getSession(event, authConfig) : null
  if (!session?.user) throw redirect(`/login?callbackUrl=${encodeURIComponent(page)}`)
  return session.user
}, "required user")

export const logIn = action(async (form: FormData) => {
  "use server"
  return await signIn(getRequestEvent(), authConfig, form)
}, "logIn")

export const logOut = action(async (form: FormData) => {
  "use server"
  return await signOut(getRequestEvent(), authConfig, form)
}, "logOut")
