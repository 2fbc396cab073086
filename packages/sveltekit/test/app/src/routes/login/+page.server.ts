import { CredentialsSignin } from "@latchkey/sveltekit"
import { fail, type RequestEvent } from "@sveltejs/kit"
import { signIn } from "../../auth.js"

export const actions = {
  default: async (event: RequestEvent) => {
    try {
      return await signIn(event)
    } catch (error) {
      if (error instanceof CredentialsSignin) return fail(400, { code: error.code })
      throw error
    }
  },
}
