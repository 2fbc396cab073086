import {
  type Answer,
  type AuthConfig,
  type AuthContext,
  type IncomingRequest,
  logRejectedRequest,
  type OriginOptions,
} from "@latchkey/core"
import { InvalidRequest, UntrustedHost } from "@latchkey/core/errors"
import {
  andThen,
  type ConfigSource,
  isBelow,
  respondNow,
  type Settings,
  toPath,
  warnAtStart,
} from "@latchkey/core/integration"
import type { Awaitable } from "@latchkey/core/types"
import { fromNodeHeaders, type NodeRequest, nodeProxySetting, readContext, resolveSettings } from "./config.js"
import { readTarget, toIncomingRequest, toWebRequest, type WebRequestOptions } from "./request.js"
import { jsonAnswer, type NodeResponse, sendAnswer, sendWebResponse } from "./response.js"

/** How clients reach the server. */
export interface NodeHandlerOptions {
  /**
   * Trust `X-Forwarded-Proto` and `X-Forwarded-Host`. Set it only if all requests come through a proxy that sets both.
   * Not needed with `AUTH_URL`. Default: false.
   */
  readonly trustProxy?: boolean | undefined
}

/** Passes a request on, with an error after a failure. An error that it throws itself is logged and answered with 500. */
export type Next = (error?: unknown) => unknown

/**
 * A `request` listener for node:http, and a middleware for Connect and similar frameworks. The promise never rejects: on
 * node:http an unhandled rejection would end the process.
 */
export type NodeListener<Req = NodeRequest, Res = NodeResponse> = (req: Req, res: Res, next?: Next) => Promise<void>

/**
 * Mounts the endpoints on node:http: `createServer(toNodeHandler(config))`.
 *
 * Answers requests below the base path (`basePath`, else the path of `AUTH_URL`, else `/auth`). Other requests go to
 * `next`, or are answered with 404 without one.
 * @param config The configuration, or a function that returns the one for a request.
 */
export function toNodeHandler(config: ConfigSource<NodeRequest>, options: NodeHandlerOptions = {}): NodeListener {
  warnAtStart(config)
  return toListener((request, response) =>
    andThen(resolveSettings(config, request), (settings) =>
      answerRequest(request, settings, { trustProxy: options.trustProxy, response }),
    ),
  )
}

/** What a framework knows about a request besides the request itself. */
export interface AnswerOptions extends WebRequestOptions {
  /** The client address, if the framework has resolved it through its proxies. Default: the socket's address. */
  readonly context?: AuthContext | undefined
}

/**
 * Returns the service's answer to a request, or null if the request is not below the base path. At once for a stateless
 * session check.
 * @param options `url`: the public target of the request.
 */
export function answerRequest(
  request: NodeRequest,
  settings: Settings,
  options: AnswerOptions,
): Awaitable<Answer | null> {
  const url = options.url ?? readTarget(request)
  if (!isBelow(toPath(url), settings.basePath)) return null
  let incoming: IncomingRequest
  try {
    incoming = toIncomingRequest(
      request,
      settings.origin === undefined ? options : { ...options, origin: settings.origin },
    )
  } catch (error) {
    return reject(error, request, settings.config.logger)
  }
  return respondNow(incoming, settings.config, options.context ?? readContext(request, nodeProxySetting))
}

/**
 * Creates a listener from a function that takes a Web `Request` and returns a `Response`. An error of the function goes
 * to `next`; without one it is logged and answered with 500. An invalid request is answered with 400.
 * @param respond Its second argument is the third of `Auth`.
 */
export function createNodeListener(
  respond: (request: Request, context: AuthContext) => Response | PromiseLike<Response>,
  options: OriginOptions = {},
): NodeListener {
  return toListener(async (req, response) => {
    let request: Request
    try {
      request = toWebRequest(req, { ...options, response })
    } catch (error) {
      return reject(error, req)
    }
    return await respond(request, readContext(req))
  })
}

/**
 * Creates a listener from a function that answers requests of the framework.
 * @param respond Returns null for a request that it does not answer: it goes to `next`, or is answered with 404.
 */
export function toListener<Req extends NodeRequest, Res extends NodeResponse>(
  respond: (req: Req, res: Res) => Awaitable<Response | Answer | null>,
): NodeListener<Req, Res> {
  return (req, res, next) => {
    let answer: Awaitable<Response | Answer | null>
    try {
      answer = respond(req, res)
      if (isAnswer(answer)) {
        sendAnswer(answer, res)
        return sent
      }
    } catch (error) {
      answer = Promise.reject(error)
    }
    return settle(answer, { req, res, next })
  }
}

/** What a listener returns if it answered at once. */
const sent = Promise.resolve()

interface Settling {
  readonly req: NodeRequest
  readonly res: NodeResponse
  readonly next: Next | undefined
}

/** Sends an answer that comes later, or passes the request on. */
async function settle(work: Awaitable<Response | Answer | null>, { req, res, next }: Settling): Promise<void> {
  let pass = () => (next ? next() : sendAnswer(jsonAnswer("Not found.", 404), res))
  try {
    const answer = await work
    if (isAnswer(answer)) return sendAnswer(answer, res)
    if (answer) return await sendWebResponse(answer, res)
  } catch (error) {
    pass = () => (next ? next(error) : fail(error, req, res))
  }
  try {
    await pass()
  } catch (error) {
    await fail(error, req, res)
  }
}

/** Whether this is an answer of the service, and not the response of a Web function. */
function isAnswer(answer: Awaitable<Response | Answer | null>): answer is Answer {
  return answer !== null && "headers" in answer && Array.isArray(answer.headers)
}

async function fail(error: unknown, req: NodeRequest, res: NodeResponse): Promise<void> {
  const message = "Something failed. The server log has the cause."
  const answer = isRejection(error) ? reject(error, req) : jsonAnswer({ message }, 500)
  if (answer.status === 500) console.error(error)
  if (res.headersSent) res.destroy()
  else sendAnswer(answer, res)
}

/**
 * Logs an invalid request and returns its answer.
 * @throws every other error, unchanged
 */
function reject(error: unknown, request: NodeRequest, logger?: AuthConfig["logger"]): Answer {
  if (!isRejection(error)) throw error
  const rejected = { headers: fromNodeHeaders(request.headers), context: readContext(request) }
  logRejectedRequest(error, logger ? { ...rejected, logger } : rejected)
  return jsonAnswer("Bad request.", error instanceof InvalidRequest ? error.status : 400)
}

/** Whether a request was rejected before it reached the service. */
function isRejection(error: unknown): error is InvalidRequest | UntrustedHost {
  return error instanceof InvalidRequest || error instanceof UntrustedHost
}
