// Apart from the feature `native`, so that `@latchkey/core/jwt` loads nothing else of it.

/** Tells the tokens of native apps from other tokens in the same header, and lets scanners for leaked secrets find them. */
export const appTokenPrefix = "latchkey_"

/**
 * The token of a native app in the `Authorization` header, RFC 6750 section 2.1. Null if there is none. Tokens without our
 * prefix are for something else, such as a proxy.
 * @param authorization The value of the header.
 */
export function findAppToken(authorization: string | null): string | null {
  // All of the rest, with blanks and commas: several such headers arrive as one, and must not pass for the first of them.
  const [, token = ""] = /^bearer[ \t]+([^ \t].*)$/i.exec(authorization ?? "") ?? []
  return token.startsWith(appTokenPrefix) ? token : null
}
