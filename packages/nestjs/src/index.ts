// Imported as `@latchkey/nestjs`.
export {
  type Account,
  type AuthConfig,
  customFetch,
  type DefaultSession,
  type Profile,
  type Session,
  type User,
} from "@latchkey/core"
export { AuthError, CredentialsSignin } from "@latchkey/core/errors"
export type { SignInRequest, SignOutRequest, UserAuth } from "@latchkey/core/integration"
export type { NestAuthConfig, NestAuthOptions, NestConfigSource, NestRequest } from "./config.js"
export { AllowAnonymous, AuthGuard } from "./guard.js"
export { type AsyncNestAuthOptions, AuthModule } from "./module.js"
export { AuthService } from "./service.js"
export { CurrentAuth, CurrentSession } from "./session.js"
