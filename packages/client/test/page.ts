import type { CredentialsConfig } from "@latchkey/core/types"
import type { TestHost } from "@latchkey/testkit"
import { type Mock, vi } from "vitest"
import { stubChannels } from "../../../test/setup/page-channels.js"

/** A stubbed page of an app: location, events and network. */
export interface TestPage {
  /** Requests, such as `GET /auth/session`. */
  readonly requests: string[]
  /** `location.assign`. */
  readonly assign: Mock<(url: string) => void>
  /** Counts the requests of this method and path. */
  count(request: string): number
  /** Replaces the service's responses; undefined restores the service. */
  answerWith(answer: (() => Response | Promise<Response>) | undefined): void
  /** Makes the page hidden or visible. */
  show(isVisible: boolean): void
  fire(target: "window" | "document", event: Event): void
}

/** What `fetch` throws when the service is unreachable. */
export function unreachable(): never {
  throw new TypeError("Failed to fetch")
}

/** Stubs the globals of a page at `https://app.test/page`. Undo with `vi.unstubAllGlobals`. */
export function openPage({ browser }: Pick<TestHost, "browser">): TestPage {
  const requests: string[] = []
  const assign = vi.fn<(url: string) => void>()
  const location = Object.assign(new URL("https://app.test/page"), { assign, reload: () => undefined })
  const document = Object.assign(new EventTarget(), { visibilityState: "visible" })
  const window = new EventTarget()
  const network: { answer: (() => Response | Promise<Response>) | undefined } = { answer: undefined }
  stubChannels()
  vi.stubGlobal("location", location)
  vi.stubGlobal("document", document)
  vi.stubGlobal("window", window)
  vi.stubGlobal("fetch", async (address: string, { method = "GET", body, headers }: RequestInit) => {
    const url = new URL(address, location.href)
    requests.push(`${method} ${url.pathname}`)
    if (network.answer) return network.answer()
    return browser.fetch(url, {
      method,
      headers: Object.fromEntries(new Headers(headers)),
      ...((body instanceof URLSearchParams || typeof body === "string") && { body }),
    })
  })
  return {
    requests,
    assign,
    count: (request) => requests.filter((one) => one === request).length,
    answerWith: (answer) => {
      network.answer = answer
    },
    show: (isVisible) => {
      document.visibilityState = isVisible ? "visible" : "hidden"
      document.dispatchEvent(new Event("visibilitychange"))
      window.dispatchEvent(new Event(isVisible ? "focus" : "blur"))
    },
    fire: (target, event) => {
      ;(target === "window" ? window : document).dispatchEvent(event)
    },
  }
}

/** A credentials provider that accepts `ada` with `correct horse`. */
export function password(id = "credentials"): CredentialsConfig {
  return {
    id,
    name: "Password",
    type: "credentials",
    credentials: { username: {}, password: { type: "password" } },
    authorize: ({ username, password: typed }) =>
      username === "ada" && typed === "correct horse" ? { id: "1815", name: "Ada Lovelace" } : null,
  }
}

/** Options that sign `ada` in and stay on the page. */
export const validLogin = { username: "ada", password: "correct horse", redirect: false } as const
