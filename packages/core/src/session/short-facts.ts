import type { JWT } from "../types/jwt.js"

/**
 * The claims of a tracked session in a short form for its token: each check encrypts and decrypts it, which takes longer the
 * longer it is. `chk` is one text with `sid`, `auth_time`, `chk` and `amr`, and there is no `jti`. Unchanged if a claim is not
 * what tracking sets.
 * @param keepsStart Leaves `auth_time`, for services that cap the lifetime of sessions, tracked or not.
 */
export function shortenFacts(claims: JWT, keepsStart: boolean): JWT {
  const { sid, auth_time: authTime, chk, amr } = claims
  const start = keepsStart ? undefined : authTime
  if (!isWord(sid) || !isSeconds(chk) || !(start === undefined || isSeconds(start))) return claims
  if (!Array.isArray(amr) || !amr.every(isWord)) return claims
  const text = `${sid} ${start ?? ""} ${chk - (start ?? 0)} ${amr.join(" ")}`
  // JSON leaves out what is undefined.
  return { ...claims, chk: text, sid: undefined, amr: undefined, auth_time: keepsStart ? authTime : undefined }
}

/**
 * The claims as apps see them. Unchanged if they are not shortened.
 * @param claims They were just decoded. They are changed: a copy would take as long as a shorter token saves.
 * @param token Their token. The id of a token without `jti` is its initialization vector, 128 random bits.
 */
export function expandFacts(claims: JWT, token: string): JWT {
  const { chk: text } = claims
  if (typeof text !== "string" || claims["sid"] !== undefined) return claims
  // Not `split`, which takes twice as long.
  const sidEnd = text.indexOf(" ")
  const startEnd = text.indexOf(" ", sidEnd + 1)
  const chkEnd = text.indexOf(" ", startEnd + 1)
  const start = text.slice(sidEnd + 1, startEnd)
  const chk = Number(start) + Number(text.slice(startEnd + 1, chkEnd))
  // A claim of the app that has this name.
  if (sidEnd < 1 || startEnd < 0 || chkEnd < 0 || !isSeconds(chk)) return claims
  const amr = text.slice(chkEnd + 1)
  claims["sid"] = text.slice(0, sidEnd)
  claims["chk"] = chk
  claims["amr"] = amr === "" ? [] : amr.includes(" ") ? amr.split(" ") : [amr]
  if (start !== "") claims["auth_time"] = Number(start)
  // The third part, after an empty one: RFC 7516 section 7.1. 16 bytes have 22 characters.
  const ivStart = token.indexOf("..") + 2
  claims.jti ??= token.slice(ivStart, ivStart + 22)
  return claims
}

function isWord(value: unknown): value is string {
  return typeof value === "string" && value !== "" && !value.includes(" ")
}

function isSeconds(value: unknown): value is number {
  return Number.isSafeInteger(value)
}
