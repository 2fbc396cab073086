import type { Page } from "playwright-core"

/**
 * The app link that a page leads to. Chromium hands a URL of a foreign scheme to the system and stays where it is; here,
 * its request tells the URL.
 */
export async function catchAppLink(page: Page, redirectUri: string, act: () => Promise<unknown>): Promise<string> {
  const session = await page.context().newCDPSession(page)
  await session.send("Network.enable")
  const link = new Promise<string>((resolve) => {
    session.on("Network.requestWillBeSent", ({ request }) => {
      if (request.url.startsWith(redirectUri)) resolve(request.url)
    })
  })
  await act()
  return link
}
