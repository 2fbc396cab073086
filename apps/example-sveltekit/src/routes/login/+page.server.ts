import { CredentialsSignin } from "@latchkey/sveltekit"
import { fail } from "@sveltejs/kit"
import { signIn } from "../../auth.js"
import type { Actions, PageServerLoad } from "./$types.js"

export const load: PageServerLoad = ({ url }) => ({ redirectTo: url.searchParams.get("callbackUrl") ?? "/" })

export const actions: Actions = {
  async default(event) {
    try {
      return await signIn(event)
    } catch (error) {
      if (!(error instanceof CredentialsSignin)) throw error
      return fail(400, { message: "Wrong user name or password." })
    }
  },
}
