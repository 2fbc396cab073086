import { getSession, signIn, signOut } from "@latchkey/solid-start"
import { action, query, redirect } from "@solidjs/router"
import { getRequestEvent } from "solid-js/web"
import { authConfig } from "./auth"

/** Whose session it is, for pages that everybody sees. */
export const findVisitor = query(async () => {
  "use server"
  const event = getRequestEvent()
  const session = event ? await getSession(event, authConfig) : null
  return session?.user ?? null
}, "visitor")

/** As `findVisitor`, for pages of signed-in people alone: others are sent to the login page, and back afterwards. */
export const getVisitor = query(async (page: string) => {
  "use server"
  const event = getRequestEvent()
  const session = event ? await getSession(event, authConfig) : null
  if (!session?.user) throw redirect(`/login?callbackUrl=${encodeURIComponent(page)}`)
  return session.user
}, "signed-in visitor")

export const logIn = action(async (form: FormData) => {
  "use server"
  return await signIn(getRequestEvent(), authConfig, form)
}, "logIn")

export const logOut = action(async (form: FormData) => {
  "use server"
  return await signOut(getRequestEvent(), authConfig, form)
}, "logOut")
