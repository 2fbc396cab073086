/**
 * How a provider may send its answer: OAuth 2.0 Multiple Response Type Encoding Practices section 2.1, OAuth 2.0 Form
 * Post Response Mode, and JWT Secured Authorization Response Mode (JARM) section 2.3. A fragment never reaches a
 * server.
 */
export const responseModes = ["query", "form_post", "jwt", "query.jwt", "form_post.jwt"] as const

export type ResponseMode = (typeof responseModes)[number]

export function isResponseMode(value: unknown): value is ResponseMode {
  return responseModes.some((mode) => mode === value)
}
