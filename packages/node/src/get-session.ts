import { respond, type Session } from "@latchkey/core"
import { AuthError } from "@latchkey/core/errors"
import type { NodeRequest } from "./node-request.js"
import { type OriginOptions, resolveOrigin } from "./origin.js"
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
  const headers = { cookie: request.headers.cookie ?? "" }
  const question = new Request(`${origin}${settings.basePath}/session`, { headers })
  const { status, body } = await respond(question, settings.config)
  if (status !== 200) {
    throw new AuthError(`The session could not be read: the service answered ${status} and logged why`)
  }
  return toSession(JSON.parse(body ?? "null"))
}

function toSession(body: unknown): Session | null {
  if (typeof body !== "object" || body === null || Object.keys(body).length === 0) return null
  return body as Session // What the host's session callback returned.
}
