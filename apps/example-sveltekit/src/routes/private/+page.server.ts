import { redirect } from "@sveltejs/kit"
import type { PageServerLoad } from "./$types.js"

/** Guard each page individually: a layout's `load` does not run again for every page below it. */
export const load: PageServerLoad = async ({ locals, url }) => {
  const session = await locals.auth()
  if (!session) redirect(303, `/login?callbackUrl=${encodeURIComponent(url.pathname)}`)
  return { session }
}
