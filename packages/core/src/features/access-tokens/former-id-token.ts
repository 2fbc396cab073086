import { isSecretAlgorithm, parseSignedToken } from "../../oauth/jws.js"

/** What the stored ID token, which was verified before it was stored, says about the one of a refresh. */
export interface FormerIdToken {
  /** Undefined without one. */
  readonly subject: string | undefined
  /** Whether its signature was verified with the keys of the provider. */
  readonly isVerifiedByKeys: boolean
}

export function readIdToken(idToken: string | undefined): FormerIdToken {
  if (idToken === undefined) return { subject: undefined, isVerifiedByKeys: false }
  try {
    const { header, claims } = parseSignedToken(idToken)
    const subject = typeof claims["sub"] === "string" ? claims["sub"] : undefined
    return { subject, isVerifiedByKeys: !isSecretAlgorithm(String(header["alg"])) }
  } catch {
    return { subject: undefined, isVerifiedByKeys: false }
  }
}
