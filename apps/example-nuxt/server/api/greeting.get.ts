import { getAuth } from "@latchkey/nuxt/server"

/** The data of the private page. A page's middleware does not protect it. */
export default defineEventHandler(async (event) => {
  const session = await getAuth(event).requireAuth()
  if (session instanceof Response) return session
  return { text: `Only signed-in users see this page. You are ${session.user.name}.` }
})
