import type { RequestEvent } from "@sveltejs/kit"

export const load = async ({ locals }: RequestEvent) => {
  const [session, again, older] = await Promise.all([locals.auth(), locals.auth(), locals.getSession()])
  return { session, isSame: session === again && session === older }
}
