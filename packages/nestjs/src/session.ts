import type { Session } from "@latchkey/core"
import { createRequestState, type RequestAuth, type RequestState, type Settings } from "@latchkey/core/integration"
import {
  type FoundCaller,
  findCaller,
  keepPrivate,
  type NodeRequest,
  type NodeResponse,
  readSetCookies,
} from "@latchkey/node"
import { createParamDecorator, type ExecutionContext } from "@nestjs/common"
import { type NestAuthOptions, type NestRequest, proxySetting, toNodeRequest } from "./config.js"

/** What is known about one request. */
export interface AuthState {
  readonly findCaller: () => Promise<FoundCaller>
  readonly request: RequestState
  readonly response: NodeResponse
}

const states = new WeakMap<NodeRequest, AuthState>()

/**
 * Keeps the session and the actions of a request, and adds their cookies to the response when its headers are final. The
 * session is read when the host first asks for it.
 */
export function initState(
  request: NodeRequest,
  response: NodeResponse,
  [settings, options]: [Settings, NestAuthOptions],
): void {
  const find = async () => findCaller(request, settings, { ...options, proxySetting })
  const state = { findCaller: find, request: createRequestState(find), response }
  states.set(request, state)
  keepPrivate(response, () => {
    for (const line of state.request.takeCookies(readSetCookies(response))) response.appendHeader("set-cookie", line)
  })
}

/** @throws Error if the middleware of `AuthModule` has not seen the request */
export function getState(request: NestRequest): AuthState {
  const state = states.get(toNodeRequest(request))
  if (state) return state
  throw new Error("The request has no authentication. Import AuthModule.forRoot(config) in the module of the app")
}

/** An object of GraphQL's context, as `@nestjs/graphql` passes it. */
interface GraphqlContext {
  readonly req?: NestRequest
}

/**
 * The HTTP request of a handler: a route's, or a GraphQL resolver's.
 * @throws Error for messages without a request, such as those of WebSockets
 */
export function findRequest(context: ExecutionContext): NestRequest {
  const kind = context.getType<string>()
  if (kind === "http") return context.switchToHttp().getRequest<NestRequest>()
  const graphql = kind === "graphql" ? context.getArgByIndex<GraphqlContext>(2) : undefined
  if (graphql?.req) return graphql.req
  throw new Error(`A message of the kind "${kind}" has no HTTP request, and so no session`)
}

/**
 * A parameter of a handler: the current session, or null when signed out. Reads it once for each request, and renews its
 * cookie. Throws AuthError when the session cannot be read, so a failure never looks like being signed out.
 * @example
 * show(@CurrentSession() session: Session | null) {}
 */
export const CurrentSession: () => ParameterDecorator = createParamDecorator(
  (_: unknown, context: ExecutionContext): Promise<Session | null> =>
    getState(findRequest(context)).request.auth.getSession(),
)

/**
 * A parameter of a handler: the session and the actions of the request, for forms of your own.
 * @example
 * signOut(@CurrentAuth() auth: RequestAuth) {}
 */
export const CurrentAuth: () => ParameterDecorator = createParamDecorator(
  (_: unknown, context: ExecutionContext): RequestAuth => getState(findRequest(context)).request.auth,
)
