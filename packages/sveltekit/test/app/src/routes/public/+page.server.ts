import type { RequestEvent } from "@sveltejs/kit"

export const load = ({ setHeaders }: RequestEvent) => setHeaders({ "cache-control": "public, max-age=600" })
