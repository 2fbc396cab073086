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

/**
 * What axe finds on a page without scripts. Axe is a script, so a twin shows the same markup where scripts run, with what is
 * only for browsers without them.
 * @param twin A page in a browser with scripts, with the same size and color scheme.
 */
export async function findFaultsWithoutScripts(page: Page, twin: Page): Promise<string[]> {
  await page.waitForLoadState()
  const html = (await page.content()).replaceAll(/<script[^>]*><\/script>/g, "").replaceAll("noscript>", "div>")
  await twin.unrouteAll()
  await twin.route(/style\.css/, async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, body: (await response.text()).replaceAll("(scripting:none)", "all") })
  })
  await twin.setContent(html)
  return findAccessibilityFaults(twin)
}

/** Texts that reach out of their own box or of the window. */
export async function findClippedText(page: Page): Promise<string[]> {
  await page.waitForLoadState()
  return page.evaluate(() => {
    const hasText = (element: Element) =>
      [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim())
    const isClipped = (element: Element) => {
      const range = document.createRange()
      range.selectNodeContents(element)
      const { left, right } = range.getBoundingClientRect()
      const isOut = left < -1 || right > document.documentElement.clientWidth + 1
      // Inline elements have no width of their own.
      return isOut || (element.clientWidth > 0 && element.scrollWidth > element.clientWidth + 1)
    }
    return [...document.body.querySelectorAll("*")]
      .filter((element) => element.checkVisibility() && hasText(element) && isClipped(element))
      .map((element) => `${element.tagName} ${element.className}: ${element.textContent?.trim().slice(0, 60)}`)
  })
}
