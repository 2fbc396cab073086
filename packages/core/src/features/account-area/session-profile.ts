import { JWTSessionError } from "../../errors/errors.js"
import type { HostCallbacks } from "../../host/callbacks.js"
import type { SessionRequest } from "../../session/session.js"
import type { JwtParams } from "../../types/callbacks.js"
import type { ResponseCookie } from "../../types/http.js"
import type { ActionContext } from "../feature.js"

/** What a session shows of a profile. What is left out stays. */
interface ShownProfile {
  readonly name?: string | null
  readonly image?: string | null
  readonly email?: string
}

/** Marks the update of a session as one of the account area. No client can send a symbol. */
const isOwn = Symbol("account area")

/**
 * Updates the session of the request, so that a stateless one also shows the new profile. The app's callbacks see an update
 * of the session with what has changed. Returns the cookies to set; none if the session would be too large for them.
 */
export async function showProfile(
  profile: ShownProfile,
  request: SessionRequest,
  { sessions, log }: ActionContext,
): Promise<readonly ResponseCookie[]> {
  try {
    return (await sessions.check(request, { newSession: { ...profile, [isOwn]: true } })).cookies
  } catch (error) {
    // The profile is stored. The session shows it after the next sign-in.
    if (!(error instanceof JWTSessionError)) throw error
    log.error(error, request)
    return []
  }
}

/** Writes a changed profile to the token of the session, before the app's own callback sees it. */
export function updateTokens(callbacks: HostCallbacks): HostCallbacks {
  return {
    ...callbacks,
    jwt: (params, request) => callbacks.jwt(isUpdate(params) ? withProfile(params) : params, request),
  }
}

function isUpdate({ trigger, session }: JwtParams): boolean {
  return trigger === "update" && Object(session)[isOwn] === true
}

function withProfile(params: JwtParams): JwtParams {
  const { name, image, email }: ShownProfile = Object(params.session)
  const changes = {
    ...(name !== undefined && { name }),
    ...(image !== undefined && { picture: image }),
    ...(email !== undefined && { email }),
  }
  return { ...params, token: { ...params.token, ...changes } }
}
