/// <reference path="../../types/virtual.d.ts" />
// Imported as `@latchkey/nuxt/app/route-middleware`, by the module.
import {
  createError,
  defineNuxtRouteMiddleware,
  navigateTo,
  useRequestEvent,
  useRouter,
  useRuntimeConfig,
} from "nuxt/app"
import type { NuxtAuth } from "../handler.js"
import { findPageSession } from "./session.js"

/**
 * Requires a session: `definePageMeta({ middleware: "auth" })`. On the server it decides by the session, in the browser
 * by what the page knows. So it protects what the server renders, but not the data that a page requests.
 */
const middleware: unknown = defineNuxtRouteMiddleware(async (to) => {
  const event = useRequestEvent()
  if (event) {
    const auth: NuxtAuth = event.context["latchkey"]
    const refusal = await auth.requireAuth(event)
    if (!refusal) return undefined
    auth.keepOutOfCaches(event)
    const signInPage = refusal.headers.get("location")
    if (signInPage === null) throw createError({ statusCode: refusal.status, message: "Sign in to continue." })
    return navigateTo(signInPage, { external: true, redirectCode: refusal.status })
  }
  const { session, store } = findPageSession()
  if (session.status.value === "loading") await store.refresh()
  if (session.status.value === "authenticated") return undefined
  // With the base URL of the app, which routes leave out. In the router's hash mode, it is the part behind the # alone.
  const { href } = useRouter().resolve(to)
  const page = href.startsWith("#") ? `${location.pathname}${location.search}${href}` : href
  const { basePath } = useRuntimeConfig().public.latchkey
  return navigateTo(`${basePath}/signin?callbackUrl=${encodeURIComponent(page)}`, { external: true })
})

// biome-ignore lint/style/noDefaultExport: Nuxt expects one
export default middleware
