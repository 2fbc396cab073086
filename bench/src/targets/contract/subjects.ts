import type { Target } from "../target.ts"
import { openCredentials } from "./credentials.ts"
import { openCsrf } from "./csrf.ts"
import type { ContractLibrary } from "./library.ts"
import { openProviders, openSignInPage } from "./listing.ts"
import { openOAuthStart, openOidcCallback } from "./oauth.ts"
import { openAnonymousSession, openStatelessSession } from "./session.ts"
import { openStoredSession } from "./stored-session.ts"
import { openDecode, openEncode, openGetToken } from "./tokens.ts"

export function contractTarget(library: ContractLibrary): Target {
  return {
    subjects: {
      "session-stateless": () => openStatelessSession(library),
      "session-edge": () => openStatelessSession(library),
      "session-anonymous": () => openAnonymousSession(library),
      "session-memory": async () => {
        const { createMemoryStore } = await import("../../fixtures/memory-store.ts")
        return openStoredSession(library, createMemoryStore())
      },
      "session-sqlite": async () => {
        const { createSqliteStore } = await import("../../fixtures/sqlite-store.ts")
        return openStoredSession(library, createSqliteStore())
      },
      csrf: () => openCsrf(library),
      providers: () => openProviders(library),
      "signin-page": () => openSignInPage(library),
      credentials: () => openCredentials(library),
      "oauth-start": () => openOAuthStart(library),
      "oidc-callback": () => openOidcCallback(library),
      encode: () => openEncode(library),
      decode: () => openDecode(library),
      "get-token": () => openGetToken(library),
    },
  }
}
