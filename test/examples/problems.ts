import type { BrowserContext, Page } from "playwright-core"

/** What went wrong in a browser while nobody looked. */
export interface Problems {
  /** Scripts that failed, complaints in the console (a content policy that was broken among them), missing files. */
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

/** Chromium's own remark on a status, which is seen by the response already. */
const statusRemark = /^Failed to load resource: the server responded with a status of/

function watchPage(page: Page, seen: string[]): void {
  page.on("pageerror", (error) => seen.push(`error: ${error.message}`))
  page.on("console", (message) => {
    const isProblem = message.type() === "error" || message.type() === "warning"
    if (isProblem && !statusRemark.test(message.text())) seen.push(`console: ${message.text()}`)
  })
}
