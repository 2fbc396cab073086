import { isRedirect, type RequestEvent } from "@sveltejs/kit"
import { signIn, signOut } from "../../auth.js"

/** Runs an action, and then reads the session in the same request. */
async function readAfter(action: Promise<never>, { locals }: RequestEvent): Promise<{ readonly name: string }> {
  await action.catch((thrown: unknown) => {
    if (!isRedirect(thrown)) throw thrown
  })
  const session = await locals.auth()
  return { name: session?.user?.name ?? "signed out" }
}

export const actions = {
  in: async (event: RequestEvent) => readAfter(signIn(event, await event.request.formData()), event),
  out: async (event: RequestEvent) => readAfter(signOut(event), event),
}
