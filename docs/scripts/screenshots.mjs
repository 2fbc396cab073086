// Takes the pictures of the built-in sign-in page for the front page and the README, from the built packages:
// `npm run build && node docs/scripts/screenshots.mjs`. Run it after changing the page.
import { createServer } from "node:http"
import { join } from "node:path"
import Discord from "@latchkey/core/providers/discord"
import GitHub from "@latchkey/core/providers/github"
import Google from "@latchkey/core/providers/google"
import Resend from "@latchkey/core/providers/resend"
import { toNodeHandler } from "@latchkey/node"
import { memoryAdapter } from "@latchkey/testkit"
import { chromium } from "playwright-core"
import { root } from "./pages.mjs"

const client = { clientId: "screenshot", clientSecret: "screenshot" }
const config = {
  secret: "the secret of a screenshot, with 32 characters",
  trustHost: true,
  adapter: memoryAdapter(),
  theme: { brandColor: "#0f6b5c" },
  providers: [
    GitHub(client),
    Google(client),
    Discord(client),
    Resend({ name: "email", apiKey: "screenshot", from: "Harbour <no-reply@harbour.example>" }),
  ],
}

const server = createServer(toNodeHandler(config))
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
const resolver = `--host-resolver-rules=MAP app.example.com:80 127.0.0.1:${server.address().port}`
const browser = await chromium.launch({
  executablePath: process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", resolver],
})
for (const colorScheme of ["light", "dark"]) {
  const page = await browser.newPage({ viewport: { width: 460, height: 600 }, deviceScaleFactor: 2, colorScheme })
  await page.goto("http://app.example.com/auth/signin")
  await page.screenshot({ path: join(root, "docs", "public", `sign-in-${colorScheme}.png`) })
}
await browser.close()
server.close()
