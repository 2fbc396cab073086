import { refuseAction, refuseRequest, toFailure } from "./actions/refuse.js"
import { refuseConfiguration } from "./actions/refuse-configuration.js"
import { getRoute } from "./actions/routes.js"
import { assertCallbackParameter } from "./checks/callback-url.js"
import type { AuthConfig } from "./contract/config.js"
import { raw } from "./contract/markers.js"
import type { ResponseInternal } from "./contract/response.js"
import type { AuthError } from "./errors/auth-error.js"
import { getService, type Service } from "./service/service.js"
import { readVisit } from "./web/read-visit.js"
import type { Reply } from "./web/reply.js"
import { toRaw, toResponse, wantsRedirectAsJson, withRedirectAsJson } from "./web/to-response.js"
import type { Visit } from "./web/visit.js"

/**
 * Answers a request below the base path: sign-in, sign-out, sessions and the built-in pages.
 *
 * @param config The same object each time: what it says is worked out once and kept with it.
 * @throws AuthError with the `raw` marker, for failures that would otherwise end on a page
 * @example
 * const response = await Auth(request, { providers: [GitHub], secret, trustHost: true })
 */
export function Auth(request: Request, config: AuthConfig & { raw: typeof raw }): Promise<ResponseInternal>
export function Auth(request: Request, config: Omit<AuthConfig, "raw">): Promise<Response>
export async function Auth(request: Request, config: AuthConfig): Promise<Response | ResponseInternal> {
  const service = getService(config)
  const isRaw = config.raw === raw
  const isJson = wantsRedirectAsJson(request)
  const reply = await answer(request, service, (error) => {
    if (isRaw && !isJson) throw error
  })
  const final = isJson ? withRedirectAsJson(reply) : reply
  return isRaw ? toRaw(final) : toResponse(final)
}

type OnRefusal = (error: AuthError) => void

async function answer(request: Request, service: Service, onRefusal: OnRefusal): Promise<Reply> {
  let visit: Visit
  try {
    visit = await readVisit(request, service.basePath)
  } catch (thrown) {
    const { error } = toFailure(thrown)
    service.log.error(error)
    return refuseRequest(error)
  }
  const mistake = service.mistake ?? findParameterMistake(visit)
  if (mistake) return refuseConfiguration(mistake, visit, { ...service.surface, ...service })
  return act(visit, service, onRefusal)
}

async function act(visit: Visit, { log, surface, needsFor }: Service, onRefusal: OnRefusal): Promise<Reply> {
  const needs = needsFor(visit.url)
  try {
    return await getRoute(visit)(visit, needs)
  } catch (thrown) {
    const failure = toFailure(thrown)
    onRefusal(failure.error)
    log.errorOnce(failure.error)
    surface.failures.remember(failure.error)
    return refuseAction(failure, visit, needs)
  }
}

function findParameterMistake({ url }: Visit): AuthError | null {
  try {
    assertCallbackParameter(url)
    return null
  } catch (thrown) {
    return toFailure(thrown).error
  }
}
