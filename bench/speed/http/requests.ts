import { csrfCookieName, password, secret, sessionCookieName, toClaims, user } from "../fixtures/host.ts"
import type { LoadRequest } from "./load.ts"

export type Library = "latchkey" | "auth" | "better-auth"

/** What a signed-in user sends, and one who signs in. */
export interface UserRequests {
  readonly session: LoadRequest
  readonly signIn: LoadRequest
}

/** Creates the requests for a server whose endpoints are mounted on `/auth`. */
export async function createRequests(library: Library, port: number): Promise<UserRequests> {
  const origin = `http://127.0.0.1:${port}`
  if (library === "better-auth") {
    const path = "/auth/sign-in/email"
    const headers = { "content-type": "application/json", origin }
    const signIn = { method: "POST", path, headers, body: JSON.stringify({ email: user.email, password }) }
    const answered = await fetch(origin + path, { method: "POST", headers, body: signIn.body })
    return { session: { method: "GET", path: "/auth/get-session", headers: { cookie: toCookie(answered) } }, signIn }
  }
  const { encode } = await import("@latchkey/core/jwt")
  const cookie = `${sessionCookieName}=${await encode({ token: toClaims(user), secret, salt: sessionCookieName })}`
  const answered = await fetch(`${origin}/auth/csrf`)
  const { csrfToken } = (await answered.json()) as { csrfToken: string } // The contract's answer.
  const body = new URLSearchParams({ csrfToken, email: user.email, password }).toString()
  const csrfCookie = toCookie(answered)
  if (!csrfCookie.includes(csrfCookieName)) throw new Error("The server set no CSRF cookie")
  const headers = { "content-type": "application/x-www-form-urlencoded", origin, cookie: csrfCookie }
  return {
    session: { method: "GET", path: "/auth/session", headers: { cookie } },
    signIn: { method: "POST", path: "/auth/callback/credentials", headers, body },
  }
}

function toCookie(response: Response): string {
  const cookies = response.headers.getSetCookie().map((each) => each.split(";", 1)[0] ?? "")
  return cookies.join("; ")
}
