import type { UserAuth } from "@latchkey/core/integration"
import type { NestRequest } from "./config.js"
import { getAuth } from "./session.js"

/** The `auth` of requests, for injection: `constructor(private readonly auth: AuthService) {}`. */
export class AuthService {
  /**
   * The session, the actions and the signed-in user of a request, like `@CurrentAuth()`.
   * @param request That of a handler (`@Req()`).
   */
  authOf(request: NestRequest): UserAuth<never> {
    return getAuth(request).auth
  }
}
