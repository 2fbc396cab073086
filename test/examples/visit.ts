import { mkdirSync } from "node:fs"
import { join } from "node:path"
import type { BrowserContext, BrowserContextOptions, Page } from "playwright-core"
import { expect } from "vitest"
import type { Example } from "./example.js"
import { watchProblems } from "./problems.js"
import type { Place } from "./stage.js"
import { createSteps, type Steps } from "./steps.js"

/** A visitor with a browser context. */
export interface Visit extends Steps {
  readonly page: Page
  readonly context: BrowserContext
  /** The same visitor in another tab. */
  inTab(page: Page): Steps
  /** Saves a screenshot, if requested. */
  look(name: string): Promise<void>
  /** The problems so far. */
  problems(): readonly string[]
  close(): Promise<void>
}

/** Long enough for a busy machine, and short enough that a broken example fails soon. */
const patienceMs = 15_000

export async function openVisit(
  example: Example,
  place: Place,
  hasScript = true,
  device: BrowserContextOptions = {},
): Promise<Visit> {
  const context = await place.visitor({
    javaScriptEnabled: hasScript,
    viewport: { width: 800, height: 600 },
    ...device,
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

/** Closes a visit, and fails if the browser reported problems. */
export async function closeWithoutProblems(visit: Visit): Promise<void> {
  await visit.close()
  expect(visit.problems(), "problems in the browser").toEqual([])
}
