import { findByPassword, secret } from "../../speed/fixtures/host.ts"

/** The options of both libraries of the contract. */
export const options = {
  basePath: "/auth",
  secret,
  trustHost: true,
  useSecureCookies: true,
}

export const credentials = {
  credentials: { email: {}, password: {} },
  authorize: async (fields: Readonly<Record<string, unknown>>) => findByPassword(fields),
}

/** Guards one page. */
export function isAuthorized(session: unknown, pathname: string): boolean {
  return session !== null || pathname !== "/private"
}
