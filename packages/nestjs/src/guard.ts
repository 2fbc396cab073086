import { refusalText } from "@latchkey/core/integration"
import { decideGuard } from "@latchkey/node"
import {
  type CanActivate,
  type CustomDecorator,
  type ExecutionContext,
  HttpException,
  SetMetadata,
  UnauthorizedException,
} from "@nestjs/common"
import { toNodeRequest } from "./config.js"
import { findRequest, getState } from "./session.js"

const allowsAnonymous = "latchkey:allowsAnonymous"

/** Opens a route, or all routes of a controller, that a guard covers. */
export const AllowAnonymous = (): CustomDecorator => SetMetadata(allowsAnonymous, true)

/** The responses of Express and Fastify have this method in common. */
interface HeaderTarget {
  header(name: string, value: string): unknown
}

/**
 * Requires a session: `@UseGuards(AuthGuard)`, or for the whole app `{ provide: APP_GUARD, useClass: AuthGuard }`. Without
 * a session a page load is redirected to the sign-in page (303) and returns afterwards; every other request gets 401.
 * Errors go to the app's exception filters, and the request does not pass.
 *
 * The sign-in page is `pages.signIn`, else `<basePath>/signin`. A page of your own is let through.
 */
export class AuthGuard implements CanActivate {
  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (isOpen(context)) return true
    const request = findRequest(context)
    const state = getState(request)
    const session = await state.request.auth.getSession()
    if (session?.user) return true
    if (context.getType() !== "http") throw new UnauthorizedException(refusalText)
    const { settings } = await state.findCaller()
    const answer = decideGuard(toNodeRequest(request), settings)
    if (answer.kind === "pass") return true
    const response = context.switchToHttp().getResponse<HeaderTarget>()
    for (const [name, value] of Object.entries(answer.headers)) response.header(name, value)
    if (answer.kind === "refuse") throw new UnauthorizedException(refusalText)
    // By way of the exception filters, because Nest answers 403 to a guard that returns false.
    response.header("location", answer.url)
    throw new HttpException(refusalText, 303)
  }
}

function isOpen(context: ExecutionContext): boolean {
  return [context.getHandler(), context.getClass()].some(
    (target) => Reflect.getMetadata(allowsAnonymous, target) === true,
  )
}
