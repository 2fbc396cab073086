import { getAuth } from "@latchkey/nuxt/server"

export default defineEventHandler(async (event) => {
  return await sendRedirect(event, await getAuth(event).signOut({ redirectTo: "/" }), 303)
})
