import type { AuthConfig } from "@latchkey/core"
import { getSession } from "@latchkey/express"
import type { Request, RequestHandler, Response } from "express"
import { isVisitor, type Visitor } from "./visitor.js"

export type SignedInRoute = (visitor: Visitor, request: Request, response: Response) => Promise<void> | void

/** A route for visitors who are signed in. The others are asked to sign in first, and come to the account page. */
export function signedIn(config: AuthConfig, route: SignedInRoute): RequestHandler {
  return async (request, response) => {
    const session = await getSession(request, config)
    if (isVisitor(session)) return route(session, request, response)
    response.redirect(303, "/auth/signin?callbackUrl=%2Faccount&error=SessionRequired")
  }
}
