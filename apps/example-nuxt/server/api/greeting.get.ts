import { getAuth } from "@latchkey/nuxt/server"

/** The data of the private page. A page's middleware does not protect it. */
export default defineEventHandler(async (event) => {
  const auth = getAuth(event)
  const refusal = await auth.guard()
  if (refusal) return refusal
  const session = await auth.getSession()
  return { text: `Only signed-in users see this page. You are ${session?.user?.name}.` }
})
