import { sessionCookieName } from "../../fixtures/host.ts"

export const jsonHeaders = {
  "content-type": "application/json",
  "cache-control": "private, no-cache, no-store",
  expires: "0",
  pragma: "no-cache",
} as const

/** @throws when the header has no such cookie */
export function findCookie(header: string | null, name: string): string {
  const start = header?.indexOf(`${name}=`) ?? -1
  if (header === null || start === -1) throw new Error("The cookie is missing")
  const end = header.indexOf(";", start)
  return header.slice(start + name.length + 1, end === -1 ? undefined : end)
}

export function toSessionCookie(value: string, expires: Date): string {
  return `${sessionCookieName}=${value}; Path=/; Expires=${expires.toUTCString()}; HttpOnly; Secure; SameSite=Lax`
}
