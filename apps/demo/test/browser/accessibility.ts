import { AxeBuilder } from "@axe-core/playwright"
import type { Page } from "playwright-core"

const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa"]

/** What axe finds on the page, with the markup that it concerns. */
export async function findAccessibilityFaults(page: Page): Promise<string[]> {
  await page.waitForLoadState()
  // The mail's frame runs no scripts, including axe; its content is opened as a page instead. Without frames, the legacy mode
  // finds the same in less than half of the time: the other one opens a page to put the results of all frames together.
  const builder = new AxeBuilder({ page }).setLegacyMode().exclude("iframe").withTags(rules)
  const { violations: found } = await builder.analyze()
  return found.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
}

/** By how many pixels the page is wider than its window. */
export async function readOverflow(page: Page): Promise<number> {
  await page.waitForLoadState()
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
}
