import type { BrowserContext } from "playwright-core"

/** The cookies of sessions that a browser has, of whatever library. */
export async function readSessionCookies(context: BrowserContext): Promise<readonly { name: string; value: string }[]> {
  return (await context.cookies()).filter(({ name }) => name.includes("session-token"))
}

/** Another character in the middle. */
export function changeValue(value: string): string {
  const middle = Math.floor(value.length / 2)
  return `${value.slice(0, middle)}${value[middle] === "A" ? "B" : "A"}${value.slice(middle + 1)}`
}

export function toCookieHeader(cookies: readonly { readonly name: string; readonly value: string }[]): string {
  return cookies.map(({ name, value }) => `${name}=${value}`).join("; ")
}
