import type { AuthConfig } from "@latchkey/core"
import type { GetTokenParams, JWT, JWTDecodeParams, JWTEncodeParams } from "@latchkey/core/jwt"

/** The public functions that this project and `@auth/core` share, so that both are given the very same work. */
export interface ContractLibrary {
  Auth(request: Request, config: AuthConfig): Promise<Response>
  encode(params: JWTEncodeParams): Promise<string>
  decode(params: JWTDecodeParams): Promise<JWT | null>
  getToken(params: GetTokenParams<false>): Promise<JWT | null>
  /** Key under which a provider's own `fetch` stands. */
  readonly customFetch: symbol
}
