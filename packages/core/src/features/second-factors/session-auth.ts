import type { Session } from "@latchkey/types"
import { summarize } from "../../account/session-proofs.js"
import type { HostCallbacks, StrategyParams } from "../../host/callbacks.js"
import type { CookieScheme } from "../../http/own-cookies.js"
import { toIdText } from "../../runtime/id.js"
import { isRecord } from "../../runtime/json.js"
import type { SessionRequest } from "../../session/session.js"
import type { SessionAuth } from "../../types/callbacks.js"
import type { ResolvedConfig } from "../../types/resolved.js"
import { createProofCookie } from "../proof-cookie.js"

/**
 * Gives the `session` callback of the app `session.auth`. Nothing that the app or a client puts there is shown: it is what
 * the proof cookie has, or absent.
 */
export function addSessionAuth(
  callbacks: HostCallbacks,
  scheme: CookieScheme,
  { secrets, callbacks: given }: ResolvedConfig,
): HostCallbacks {
  // The default callback shows none, and opening the cookie at each check would be in vain.
  if (!given?.session) return callbacks
  const proofCookie = createProofCookie({ ...scheme, secrets })

  async function readAuth(params: StrategyParams, request: object | undefined): Promise<SessionAuth | null> {
    // as: the strategies pass their own request.
    const { cookies } = (request ?? {}) as Partial<SessionRequest>
    const userId = toOwnerId(params)
    return cookies && userId !== "" ? summarize(await proofCookie.read(cookies, userId)) : null
  }

  return {
    ...callbacks,
    async session(params, request) {
      const auth = await readAuth(params, request)
      // Also without a proof: a stored session may have a column of this name.
      const session = { ...params.session, auth: auth ?? undefined }
      // as: a spread of a union of parameters is one of them.
      const shown = await callbacks.session({ ...params, session } as StrategyParams, request)
      return replaceAuth(shown, auth)
    },
  }
}

/** The user whose session it is, whom the host may not show. */
function toOwnerId(params: StrategyParams): string {
  if ("user" in params) return toIdText(params.user.id)
  const { sub, sid_sub: owner } = params.token
  return toIdText(owner ?? sub)
}

function replaceAuth(shown: Session, auth: SessionAuth | null): Session {
  // The app leaves it out, or returns nothing.
  if (!isRecord(shown) || shown["auth"] === undefined) return shown
  const { auth: _, ...rest }: Session & { readonly auth?: unknown } = shown
  return auth ? ({ ...rest, auth } as Session) : rest
}
