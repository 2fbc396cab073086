import type { BrowserContext, Page } from "playwright-core"

/** Errors that a browser reports. */
export interface Problems {
  /** Script errors, console errors (including violations of the content security policy) and missing files. */
  seen(): readonly string[]
}

export function watchProblems(context: BrowserContext): Problems {
  const seen: string[] = []
  context.on("page", (page) => watchPage(page, seen))
  context.on("response", (response) => {
    if (response.status() >= 400) seen.push(`${response.status()} ${response.request().method()} ${response.url()}`)
  })
  return { seen: () => seen }
}

/** Chromium's message about a status, which the response shows already. */
const statusRemark = /^Failed to load resource: the server responded with a status of/

function watchPage(page: Page, seen: string[]): void {
  page.on("pageerror", (error) => seen.push(`error: ${error.message}`))
  page.on("console", (message) => {
    const isProblem = message.type() === "error" || message.type() === "warning"
    if (isProblem && !statusRemark.test(message.text())) seen.push(`console: ${message.text()}`)
  })
}
