import { mkdirSync } from "node:fs"
import { join } from "node:path"
import type { BrowserContext, Page } from "playwright-core"
import { expect } from "vitest"
import type { Example } from "./example.js"
import { watchProblems } from "./problems.js"
import type { Place } from "./stage.js"
import { createSteps, type Steps } from "./steps.js"

/** Somebody who has the example open, in a browser of their own. */
export interface Visit extends Steps {
  readonly page: Page
  readonly context: BrowserContext
  /** The same visitor in another tab. */
  inTab(page: Page): Steps
  /** Keeps what the page looks like, where screenshots are wanted. */
  look(name: string): Promise<void>
  /** What went wrong in the browser so far. */
  problems(): readonly string[]
  close(): Promise<void>
}

/** As long as pages take on a busy machine, and no longer, so that a broken example fails soon. */
const patienceMs = 15_000

export async function openVisit(example: Example, place: Place, hasScript = true): Promise<Visit> {
  const context = await place.visitor({
    javaScriptEnabled: hasScript,
    ignoreHTTPSErrors: true,
    viewport: { width: 800, height: 600 },
  })
  context.setDefaultTimeout(patienceMs)
  const problems = watchProblems(context)
  const page = await context.newPage()
  return {
    ...createSteps({ example, place, page, hasScript }),
    page,
    context,
    inTab: (tab) => createSteps({ example, place, page: tab, hasScript }),
    look: (name) => keepScreenshot(page, name),
    problems: problems.seen,
    close: () => context.close(),
  }
}

async function keepScreenshot(page: Page, name: string): Promise<void> {
  const folder = process.env["LATCHKEY_SCREENSHOTS"]
  if (!folder) return
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
}

/** Ends a visit in which nothing may have gone wrong unseen. */
export async function closeWithoutProblems(visit: Visit): Promise<void> {
  await visit.close()
  expect(visit.problems(), "what the browser complained about").toEqual([])
}
