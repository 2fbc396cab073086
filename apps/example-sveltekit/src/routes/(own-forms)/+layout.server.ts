import type { LayoutServerLoad } from "./$types.js"

/** German for browsers that prefer it, as on the pages of the service. */
export const load: LayoutServerLoad = ({ request }) => ({
  language: /^de\b/i.test(request.headers.get("accept-language") ?? "") ? "de" : "en",
})
