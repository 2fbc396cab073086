/**
 * A P-256 key as stores keep them (COSE, base64), for responses of passkeys that nobody has: the point of RFC 6979,
 * appendix A.2.5. Whatever verifies with it is refused all the same.
 */
export const decoyKey: string =
  "pQECAyYgASFYIGD+1LolWp0xyWHrdMY1bWjASbiSO2H6bOZpYi5g8p+2IlggeQP+EAi4vJmkGunpVii8ZPLxsgwtfp9Rd6PClNRGIpk="
