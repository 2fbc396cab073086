import type { PageServerLoad } from "./$types.js"

export const load: PageServerLoad = async ({ locals }) => ({ session: await locals.auth() })
