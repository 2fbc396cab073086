import type { Session } from "@latchkey/core"
import { readSession } from "@latchkey/core/integration"
import { fromNodeHeaders } from "./headers.js"
import type { NodeRequest } from "./node-request.js"
import { type OriginOptions, resolveOrigin } from "./origin.js"
import { readContext } from "./read-context.js"
import { type ConfigSource, resolveSettings } from "./settings.js"

/**
 * The session of whoever sent the request; null when nobody is signed in.
 * @throws AuthError when the service cannot say, so that a failure never looks like a session, nor like a visitor
 * @throws UntrustedHost when the request's host is none
 */
export async function getSession<Req extends NodeRequest>(
  request: Req,
  config: ConfigSource<Req>,
  options: OriginOptions = {},
): Promise<Session | null> {
  const settings = await resolveSettings(config, request)
  const origin = settings.origin ?? resolveOrigin(request, options)
  const headers = fromNodeHeaders({ cookie: request.headers.cookie })
  const { session } = await readSession({ headers, context: readContext(request) }, { ...settings, origin })
  return session
}
