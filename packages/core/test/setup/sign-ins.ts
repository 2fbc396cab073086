import type { CredentialsConfig } from "@latchkey/core/types"
import type { Browser, MemoryAdapter, Page, TestHost } from "@latchkey/testkit"
import { expect } from "vitest"

export const sessionCookie = "__Secure-authjs.session-token"

/** Path and query of a page. */
export function pathOfPage({ url }: Pick<Page, "url">): string {
  return `${url.pathname}?${url.searchParams}`
}

/** Path and query of a URL. */
export function pathOf(location: string | null): string {
  const url = new URL(location ?? "missing:")
  return url.pathname + url.search
}

const writes = ["createUser", "updateUser", "linkAccount", "createSession", "updateSession", "deleteSession"]
const news = ["signIn", "createUser", "linkAccount", "updateUser"]

/** Expects no session, no writes and no events. */
export async function expectQuiet(host: TestHost, browser: Browser, adapter?: MemoryAdapter): Promise<void> {
  expect(browser.cookies.names().filter((name) => name.startsWith(sessionCookie))).toEqual([])
  expect(host.events.names().filter((name) => news.includes(name))).toEqual([])
  expect(adapter?.calls.map(({ method }) => method).filter((method) => writes.includes(method)) ?? []).toEqual([])
  expect(await browser.session()).toBeNull()
}

/** Signs in user V with `u=v&p=right`. Id `cred`. */
export function passwordProvider(overrides: Partial<CredentialsConfig> = {}): CredentialsConfig {
  return {
    id: "cred",
    name: "Password",
    type: "credentials",
    credentials: { u: { label: "User" }, p: { label: "Password", type: "password" } },
    authorize: ({ u, p }) => (u === "v" && p === "right" ? { id: "u-v", name: "V", email: "v@corp.test" } : null),
    ...overrides,
  }
}
