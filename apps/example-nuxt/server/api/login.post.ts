import { CredentialsSignin, getAuth } from "@latchkey/nuxt/server"

export default defineEventHandler(async (event) => {
  const form = await readFormData(event)
  try {
    return await sendRedirect(event, await getAuth(event).signIn(form), 303)
  } catch (error) {
    if (!(error instanceof CredentialsSignin)) throw error
    const callbackUrl = encodeURIComponent(String(form.get("redirectTo") ?? "/"))
    return await sendRedirect(event, `/login?error=${error.code}&callbackUrl=${callbackUrl}`, 303)
  }
})
