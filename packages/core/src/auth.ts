import { getRoute } from "./actions/routes.js"
import type { CallbackUrls } from "./checks/callback-url.js"
import type { Csrf } from "./checks/csrf.js"
import type { ActionContext } from "./features/feature.js"
import { createPermission, type HostCallbacks } from "./host/callbacks.js"
import { toAnswer, toRaw, toResponse } from "./http/response.js"
import { credentialsMethod } from "./methods/credentials/credentials.js"
import { emailMethod } from "./methods/email/email.js"
import type { SignInMethod } from "./methods/method.js"
import { oauthMethod, validateOAuth } from "./methods/oauth/oauth.js"
import type { SignInSteps } from "./methods/steps.js"
import { lazy } from "./runtime/cache.js"
import { andThen, isPromiseLike } from "./runtime/promise.js"
import { serve, write } from "./serve.js"
import { createServices, type Service } from "./service.js"
import { type Awaitable, raw } from "./types/basics.js"
import type { AuthConfig } from "./types/config.js"
import type { Answer, AuthContext, IncomingRequest, ResponseInternal } from "./types/http.js"
import type { ResolvedConfig } from "./types/resolved.js"

/** Replaced by bundlers. Some runtimes have no `process`. */
declare const process: { readonly env: { readonly NODE_ENV?: string } }

type StepsLoader = (context: ActionContext) => Promise<SignInSteps>

/**
 * The steps of the methods that plain objects may have, which every app that signs users in bundles. They are not a part of
 * the method, so that a provider's factory does not bring them to code that only reads sessions.
 */
const loaders: ReadonlyMap<unknown, StepsLoader> = new Map<unknown, StepsLoader>([
  [oauthMethod, async (context) => (await import("./methods/oauth/steps.js")).oauthSteps(context)],
  [emailMethod, async (context) => (await import("./methods/email/steps.js")).emailSteps(context)],
  [credentialsMethod, async (context) => (await import("./methods/credentials/steps.js")).credentialsSteps(context)],
])

/** Imports the steps of a method. Called with the first request that needs them. */
async function loadSteps(method: SignInMethod, context: ActionContext): Promise<SignInSteps> {
  const load = method.load ?? loaders.get(method)
  if (!load) throw new TypeError(`The sign-in method of ${method.label} has no steps`)
  return load(context)
}

/** The service of a configuration object. Passing the same object again costs a few comparisons. */
export const getService: (config: AuthConfig) => Service = createServices({
  getRoute,
  createChecks,
  loadBodyReader: lazy(() => import("./http/body.js")),
  loadHead: () => import("./actions/head.js"),
  loadRefusals: () => import("./actions/refuse.js"),
  loadFitReply: () => import("./features/fit-reply.js"),
  loadCompleted: () => import("./features/completed.js"),
  loadPage: () => import("./features/page.js"),
  loadStoredSessions: () => import("./session/database.js"),
  loadLimits: async (config, log) => (await import("./rate-limit/limiter.js")).chooseLimits(config, log),
  loadSteps,
  validateProvider: validateOAuth,
  async listUnusedOptions(config) {
    // Written out, so that bundles for production have no list of options.
    if (process.env.NODE_ENV !== "production") {
      const { listIneffectiveValues, listUnknownOptions } = await import("./config/unknown-options.js")
      const unknown = listUnknownOptions(config).map((sentence) => ["option-unknown", sentence] as const)
      const ineffective = listIneffectiveValues(config).map((sentence) => ["option-ineffective", sentence] as const)
      return [...unknown, ...ineffective]
    }
    return []
  },
})

/** Imports the checks of forms with the first one that is shown or sent: session checks need none. */
function createChecks(
  config: ResolvedConfig,
  { cookies, callbacks, log }: Pick<ActionContext, "cookies" | "log"> & { readonly callbacks: HostCallbacks },
): Pick<ActionContext, "permission" | "callbackUrls" | "csrf"> {
  const kept: { checks?: CallbackUrls & Csrf } = {}
  async function importChecks(): Promise<CallbackUrls & Csrf> {
    const { createCsrf, skippedCsrf } = await import("./checks/csrf.js")
    const { createCallbackUrls } = await import("./checks/callback-url.js")
    kept.checks ??= {
      ...createCallbackUrls(cookies.callbackUrl, callbacks, log),
      ...(config.isCsrfSkipped ? skippedCsrf(cookies.csrfToken) : createCsrf(cookies.csrfToken, config.secrets)),
    }
    return kept.checks
  }
  const load = () => kept.checks ?? importChecks()
  return {
    permission: createPermission(callbacks),
    callbackUrls: {
      resolve: (request) => andThen(load(), (checks) => checks.resolve(request)),
      check: (url, origin, context) => andThen(load(), (checks) => checks.check(url, origin, context)),
    },
    csrf: {
      issue: (jar) => andThen(load(), (checks) => checks.issue(jar)),
      assertVerified: (request) => andThen(load(), (checks) => checks.assertVerified(request)),
      clearLeftover: () => andThen(load(), (checks) => checks.clearLeftover()),
    },
  }
}

/**
 * The same with the `raw` marker, for servers that send the parts of a response themselves.
 *
 * @param config Pass the same object each time: it is resolved once.
 * @param context The connection, as far as the integration knows it. Without it, the client's address is unknown.
 * @throws AuthError for failures that would otherwise redirect to a page
 */
export function Auth(
  request: Request,
  config: AuthConfig & { raw: typeof raw },
  context?: AuthContext,
): Promise<ResponseInternal>
/**
 * Answers a request below the base path: sign-in, sign-out, sessions and the built-in pages.
 *
 * @param config Pass the same object each time: it is resolved once.
 * @param context The connection, as far as the integration knows it. Without it, the client's address is unknown.
 * @example
 * const response = await Auth(request, { providers: [GitHub], secret, trustHost: true })
 */
export function Auth(request: Request, config: Omit<AuthConfig, "raw">, context?: AuthContext): Promise<Response>
export async function Auth(
  request: Request,
  config: AuthConfig,
  context?: AuthContext,
): Promise<Response | ResponseInternal> {
  const service = getService(config)
  const isRaw = config.raw === raw
  const serving = serve({ request, context }, service, { isRaw })
  const reply = isPromiseLike(serving) ? await serving : serving
  return isRaw ? toRaw(reply) : write(reply, toResponse, service, { headers: request.headers, context })
}

/**
 * Like `Auth`, for servers that do not use `Request` and `Response`. Creating a `Response` and reading it back would take
 * longer than answering most requests.
 * @param config Pass the same object each time. Its `raw` is ignored.
 */
export async function respond(request: IncomingRequest, config: AuthConfig, context?: AuthContext): Promise<Answer> {
  return respondNow(request, config, context)
}

/** Like {@link respond}, but answers a stateless session check at once: its promises would take longer than its checks. */
export function respondNow(request: IncomingRequest, config: AuthConfig, context?: AuthContext): Awaitable<Answer> {
  const service = getService(config)
  return andThen(serve({ request, context }, service, { isRaw: false }), (reply) =>
    write(reply, toAnswer, service, { headers: request.headers, context }),
  )
}
