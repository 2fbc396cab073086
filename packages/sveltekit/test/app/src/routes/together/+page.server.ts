import { isRedirect, type RequestEvent } from "@sveltejs/kit"
import { signIn, signOut } from "../../auth.js"

/** Acts, and asks in the same request who it is now. */
async function ask(action: Promise<never>, { locals }: RequestEvent): Promise<{ readonly who: string }> {
  await action.catch((thrown: unknown) => {
    if (!isRedirect(thrown)) throw thrown
  })
  const session = await locals.auth()
  return { who: session?.user?.name ?? "nobody" }
}

export const actions = {
  in: async (event: RequestEvent) => ask(signIn(event, await event.request.formData()), event),
  out: async (event: RequestEvent) => ask(signOut(event), event),
}
