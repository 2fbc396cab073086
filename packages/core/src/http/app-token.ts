/** Tells the tokens of native apps from those of others in the same header, and lets scanners of leaked secrets find them. */
export const appTokenPrefix = "latchkey_"

/**
 * The token of a native app in the header `Authorization`, RFC 6750 section 2.1. Null without one: a token without our prefix
 * belongs to someone else, such as a proxy.
 * @param authorization The value of the header.
 */
export function findAppToken(authorization: string | null): string | null {
  // Whatever follows belongs to the token, and makes it invalid: several headers of the name arrive as one.
  const [, token = ""] = /^bearer[ \t]+(.*)$/i.exec(authorization ?? "") ?? []
  return token.startsWith(appTokenPrefix) ? token : null
}
