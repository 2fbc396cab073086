import type { TestHostOptions } from "@latchkey/testkit"
import { act, type ReactNode } from "react"
import type { Root } from "react-dom/client"
import { type Mock, vi } from "vitest"
import { type BrowserPage, openBrowserPage } from "../../../test/setup/browser-page.js"

/** A rendered app at `https://app.test/page`, backed by a real service. */
export interface Screen extends Pick<BrowserPage, "host" | "requests" | "assign"> {
  /** Renders an app, or updates it. */
  render(app: ReactNode): Promise<void>
  /** Hydrates what a server rendered. */
  hydrate(app: ReactNode, html: string): Promise<void>
  text(): string
  /** Runs an action and waits until its requests have finished. */
  act<T>(action: () => T | Promise<T>): Promise<T>
  /** React's recoverable errors, such as a hydration mismatch. */
  readonly onRecoverableError: Mock<(error: unknown) => void>
  close(): Promise<void>
}

export function openScreen(basePath = "/auth", options: TestHostOptions = {}): Screen {
  const { host, requests, assign, document } = openBrowserPage(basePath, options)
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true)
  return { host, requests, assign, ...show(document) }
}

function show(document: Document): Omit<Screen, "host" | "requests" | "assign"> {
  const element = document.body.appendChild(document.createElement("main"))
  const onRecoverableError = vi.fn<(error: unknown) => void>()
  const roots: Root[] = []
  const actAndWait = async <T>(action: () => T | Promise<T>): Promise<T> => {
    const result = await act(async () => action())
    // In-memory requests finish within a few turns of the event loop.
    for (let turn = 0; turn < 5; turn++) await act(() => new Promise((resolve) => setTimeout(resolve, 5)))
    return result
  }
  return {
    render: async (app) => {
      const { createRoot } = await import("react-dom/client")
      if (roots.length === 0) roots.push(createRoot(element))
      await actAndWait(() => roots[0]?.render(app))
    },
    hydrate: async (app, html) => {
      const { hydrateRoot } = await import("react-dom/client")
      element.innerHTML = html
      await actAndWait(() => {
        roots.push(hydrateRoot(element, app, { onRecoverableError }))
      })
    },
    text: () => element.textContent ?? "",
    act: actAndWait,
    onRecoverableError,
    close: () => act(async () => roots[0]?.unmount()),
  }
}
