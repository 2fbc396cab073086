import type { CredentialsConfig } from "@latchkey/core/types"
import type { TestHost } from "@latchkey/testkit"
import { type Mock, vi } from "vitest"

/** A page of a host's app, as far as the client knows pages: an address, events and a network. */
export interface TestPage {
  /** What was asked, as `GET /auth/session`. */
  readonly asked: string[]
  /** Where the page was sent. */
  readonly assign: Mock<(url: string) => void>
  /** How often something was asked. */
  count(request: string): number
  /** What answers in place of the service from now on; undefined: the service. */
  answerWith(answer: (() => Response | Promise<Response>) | undefined): void
  /** Lets the person look elsewhere, or at the page again. */
  show(isSeen: boolean): void
  fire(target: "window" | "document", event: Event): void
}

/** As the platform has it when nobody answers. */
export function unreachable(): never {
  throw new TypeError("Failed to fetch")
}

/** Puts a page around the test, at `https://app.test/page`; `vi.unstubAllGlobals` closes it. */
export function openPage({ browser }: Pick<TestHost, "browser">): TestPage {
  const asked: string[] = []
  const assign = vi.fn<(url: string) => void>()
  const location = Object.assign(new URL("https://app.test/page"), { assign, reload: () => undefined })
  const document = Object.assign(new EventTarget(), { visibilityState: "visible" })
  const window = new EventTarget()
  const network: { answer: (() => Response | Promise<Response>) | undefined } = { answer: undefined }
  vi.stubGlobal("location", location)
  vi.stubGlobal("document", document)
  vi.stubGlobal("window", window)
  vi.stubGlobal("fetch", async (address: string, { method = "GET", body, headers }: RequestInit) => {
    const url = new URL(address, location.href)
    asked.push(`${method} ${url.pathname}`)
    if (network.answer) return network.answer()
    return browser.fetch(url, {
      method,
      headers: Object.fromEntries(new Headers(headers)),
      ...((body instanceof URLSearchParams || typeof body === "string") && { body }),
    })
  })
  return {
    asked,
    assign,
    count: (request) => asked.filter((one) => one === request).length,
    answerWith: (answer) => {
      network.answer = answer
    },
    show: (isSeen) => {
      document.visibilityState = isSeen ? "visible" : "hidden"
      document.dispatchEvent(new Event("visibilitychange"))
      window.dispatchEvent(new Event(isSeen ? "focus" : "blur"))
    },
    fire: (target, event) => {
      ;(target === "window" ? window : document).dispatchEvent(event)
    },
  }
}

/** Lets `ada` in with `correct horse`. */
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

/** What lets `ada` in without leaving the page. */
export const right = { username: "ada", password: "correct horse", redirect: false } as const
