import type { AppSession } from "@latchkey/core"
import { bindAuth, type GuardedAuth, refusalText, type Settings, type UserAuth } from "@latchkey/core/integration"
import {
  findCaller,
  keepPrivate,
  type NodeRequest,
  type NodeResponse,
  readSetCookies,
  readTarget,
} from "@latchkey/node"
import { createParamDecorator, type ExecutionContext, HttpException, UnauthorizedException } from "@nestjs/common"
import { type NestAuthOptions, type NestRequest, proxySetting, toNodeRequest } from "./config.js"

/** The `auth` of a request, and how Nest answers one that is refused. */
export interface NestAuth extends GuardedAuth<never> {
  /** @throws HttpException by way of the exception filters, which write the body and its type */
  refuse(refusal: Response): Promise<never>
}

const auths = new WeakMap<NodeRequest, NestAuth>()

/**
 * Keeps the session and the actions of a request, and adds their cookies to the response when its headers are final. The
 * session is read when the host first asks for it.
 */
export function initAuth(
  request: NodeRequest,
  response: NodeResponse,
  [settings, options]: [Settings, NestAuthOptions],
): void {
  const refuse = (refusal: Response) => throwRefusal(refusal, response)
  const bound = bindAuth<never>({
    findCaller: () => findCaller(request, settings, { ...options, proxySetting }),
    readTarget: () => readTarget(request),
    refuse,
  })
  auths.set(request, { ...bound, refuse })
  keepPrivate(response, () => {
    for (const [name, value] of Object.entries(bound.takeHeaders())) response.setHeader(name, value)
    for (const line of bound.takeCookies(readSetCookies(response))) response.appendHeader("set-cookie", line)
    return bound.hasRefused()
  })
}

async function throwRefusal(refusal: Response, response: NodeResponse): Promise<never> {
  const { status, headers } = refusal
  for (const [name, value] of headers) if (name !== "content-type") response.setHeader(name, value)
  if (status === 303) throw new HttpException(refusalText, status)
  const body = (await refusal.json()) as Record<string, unknown> // as: an object that this package has written
  // Without a code of ours, in Nest's own shape.
  throw "error" in body || status !== 401 ? new HttpException(body, status) : new UnauthorizedException(refusalText)
}

/** @throws Error if the middleware of `AuthModule` has not seen the request */
export function getAuth(request: NestRequest): NestAuth {
  const bound = auths.get(toNodeRequest(request))
  if (bound) return bound
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
 * show(@CurrentSession() session: AppSession | null) {}
 */
export const CurrentSession: () => ParameterDecorator = createParamDecorator(
  (_: unknown, context: ExecutionContext): Promise<AppSession | null> =>
    getAuth(findRequest(context)).auth.getSession(),
)

/**
 * A parameter of a handler: the session and the actions of the request, for forms of your own.
 * @example
 * signOut(@CurrentAuth() auth: UserAuth<never>) {}
 */
export const CurrentAuth: () => ParameterDecorator = createParamDecorator(
  (_: unknown, context: ExecutionContext): UserAuth<never> => getAuth(findRequest(context)).auth,
)
