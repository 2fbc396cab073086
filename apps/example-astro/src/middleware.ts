import { requireAuth } from "@latchkey/astro"

export const onRequest = requireAuth("/private")
