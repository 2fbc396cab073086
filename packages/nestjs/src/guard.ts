import { refusalText } from "@latchkey/core/integration"
import {
  type CanActivate,
  type CustomDecorator,
  type ExecutionContext,
  SetMetadata,
  UnauthorizedException,
} from "@nestjs/common"
import { findRequest, getAuth } from "./session.js"

const allowsAnonymous = "latchkey:allowsAnonymous"

/** Opens a route, or all routes of a controller, that a guard covers. */
export const AllowAnonymous = (): CustomDecorator => SetMetadata(allowsAnonymous, true)

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
    const { auth, guard, refuse } = getAuth(findRequest(context))
    if (context.getType() !== "http") {
      const session = await auth.getSession()
      if (session?.user) return true
      throw new UnauthorizedException(refusalText)
    }
    const refusal = await guard()
    // Nest answers 403 to a guard that returns false.
    return refusal ? refuse(refusal) : true
  }
}

function isOpen(context: ExecutionContext): boolean {
  return [context.getHandler(), context.getClass()].some(
    (target) => Reflect.getMetadata(allowsAnonymous, target) === true,
  )
}
