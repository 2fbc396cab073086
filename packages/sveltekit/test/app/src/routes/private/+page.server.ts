import { type RequestEvent, redirect } from "@sveltejs/kit"

export const load = async ({ locals, url }: RequestEvent) => {
  const session = await locals.auth()
  if (!session) redirect(303, `/login?redirectTo=${encodeURIComponent(url.pathname)}`)
  return { session }
}
