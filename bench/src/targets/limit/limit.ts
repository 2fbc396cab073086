import type { Target } from "../target.ts"
import { openCredentials } from "./credentials.ts"
import { openCsrf } from "./csrf.ts"
import { openOAuthStart, openOidcCallback } from "./oauth.ts"
import { openProviders } from "./providers.ts"
import { openAnonymousSession, openStatelessSession } from "./session.ts"
import { openMemorySession, openSqliteSession } from "./stored-session.ts"
import { openDecode, openEncode, openGetToken } from "./tokens.ts"

/** The unavoidable primitives of each scenario, by hand. */
export const limit: Target = {
  subjects: {
    "session-stateless": openStatelessSession,
    "session-anonymous": openAnonymousSession,
    "session-memory": openMemorySession,
    "session-sqlite": openSqliteSession,
    csrf: openCsrf,
    providers: openProviders,
    credentials: openCredentials,
    "oauth-start": openOAuthStart,
    "oidc-callback": openOidcCallback,
    encode: openEncode,
    decode: openDecode,
    "get-token": openGetToken,
  },
}
