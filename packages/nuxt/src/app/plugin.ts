/// <reference path="../../types/virtual.d.ts" />
// Imported as `@latchkey/nuxt/app/plugin`, by the module.
import {
  type AppSession,
  configureAuth as configureShared,
  createSessionStore,
  type SessionStore,
} from "@latchkey/client"
import type { H3Event } from "h3"
import { defineNuxtPlugin, useRequestEvent, useRuntimeConfig, useState } from "nuxt/app"
import { computed, shallowRef } from "vue"
import type { NuxtAuth } from "../handler.js"
import { configureAuth, type PageSession, type UseSession } from "./session.js"

/** Nuxt's plugin: the session of the page, for `useSession`. */
const plugin: unknown = defineNuxtPlugin(async ({ provide }) => {
  // Undefined: the page is the same for all visitors, so the browser has to ask.
  const known = useState<AppSession | null | undefined>("latchkey:session", () => undefined)
  const event = useRequestEvent()
  if (event) known.value = await readSession(event)
  const { basePath } = useRuntimeConfig().public.latchkey
  // Also for the flows and hooks of `@latchkey/vue`, and for what else builds on the client.
  configureShared({ basePath })
  const client = configureAuth({ basePath })
  const store = createSessionStore({ client, session: known.value })
  provide("latchkey", { session: createSession(store, event !== undefined), store } satisfies PageSession)
})

// biome-ignore lint/style/noDefaultExport: Nuxt expects one
export default plugin

/** The session goes into the page, so that shared caches must not store it. */
async function readSession(event: H3Event): Promise<AppSession | null | undefined> {
  const auth: NuxtAuth | undefined = event.context["latchkey"]
  if (!auth || auth.isShared(event)) return undefined
  const session = await auth.getAuth(event).getSession().catch(toUnknown)
  // A shared cache must not keep a page without the session of its visitor either.
  if (session !== null) auth.keepOutOfCaches(event)
  return session
}

/** While the store fails, the page is shown, and the browser asks later. */
function toUnknown(error: unknown): undefined {
  // By its type: the class would come into the app's bundle.
  if (Object(error).type !== "SessionTokenError") throw error
}

function createSession(store: SessionStore, isServer: boolean): UseSession {
  const state = shallowRef(store.getState())
  if (!isServer) {
    // Kept for as long as the page: another tab may sign in or out.
    store.subscribe(() => {
      state.value = store.getState()
    })
  }
  return {
    data: computed(() => state.value.data),
    status: computed(() => state.value.status),
    error: computed(() => state.value.error),
    async update(data) {
      if (!isServer) return await store.update(data)
      throw new Error("update() works only in the browser. On the server use getAuth(event).updateSession(data)")
    },
  }
}
