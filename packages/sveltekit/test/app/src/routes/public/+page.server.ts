import { publicCaching } from "@latchkey/testkit/integration"
import type { RequestEvent } from "@sveltejs/kit"

export const load = ({ setHeaders }: RequestEvent) => setHeaders(publicCaching)
