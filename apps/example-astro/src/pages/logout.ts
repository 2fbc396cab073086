import type { APIRoute } from "astro"

export const POST: APIRoute = async ({ locals, redirect }) =>
  redirect(await locals.auth.signOut({ redirectTo: "/" }), 303)
