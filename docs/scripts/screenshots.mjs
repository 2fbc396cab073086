// Takes the pictures of the built-in pages for the front page, the README and the guide, from the built packages:
// `npm run build && node docs/scripts/screenshots.mjs`. Run it after changing a page. With a folder as argument, it writes
// there instead.
import { mkdirSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { accountArea } from "@latchkey/core/account-area"
import { languages } from "@latchkey/core/languages"
import { allLanguages } from "@latchkey/core/languages/all"
import { setPassword } from "@latchkey/core/passwords"
import Apple from "@latchkey/core/providers/apple"
import Discord from "@latchkey/core/providers/discord"
import Dropbox from "@latchkey/core/providers/dropbox"
import Facebook from "@latchkey/core/providers/facebook"
import GitHub from "@latchkey/core/providers/github"
import Google from "@latchkey/core/providers/google"
import LinkedIn from "@latchkey/core/providers/linkedin"
import Passkey from "@latchkey/core/providers/passkey"
import Passwords from "@latchkey/core/providers/passwords"
import Resend from "@latchkey/core/providers/resend"
import Spotify from "@latchkey/core/providers/spotify"
import Twitch from "@latchkey/core/providers/twitch"
import { recoveryCodes, secondFactors, totp } from "@latchkey/core/second-factors"
import { trackSessions } from "@latchkey/core/sessions"
import { toNodeHandler } from "@latchkey/node"
import { memoryAdapter } from "@latchkey/testkit"
import { chromium } from "playwright-core"
import { chromiumPath } from "../../scripts/chromium.ts"
import { root } from "./pages.mjs"
import { savePicture } from "./pictures.mjs"

const client = { clientId: "screenshot", clientSecret: "screenshot" }
const mail = Resend({ name: "email", apiKey: "screenshot", from: "Harbour <no-reply@harbour.example>" })
const adapter = memoryAdapter()
const common = {
  secret: "the secret of a screenshot, with 32 characters",
  trustHost: true,
  rateLimit: false,
  adapter,
  session: { strategy: "jwt", track: trackSessions() },
  languages: languages(allLanguages),
  logger: { error: (error) => console.error(String(error)), warn() {} },
}
const theme = { brandColor: "#0f6b5c", name: "Harbour" }

const user = { id: "ada", name: "Ada Lovelace", email: "ada@example.com", emailVerified: new Date() }
const password = "lovelace-in-1843"

const configs = {
  front: { theme: { brandColor: "#0f6b5c" }, providers: [GitHub(client), Google(client), Discord(client), mail] },
  all: {
    theme: { ...theme, rememberProvider: true },
    providers: [
      GitHub(client),
      Google(client),
      Passkey(),
      Resend({ apiKey: "screenshot", from: "a@harbour.example", code: true, sendVerificationRequest() {} }),
      Passwords({ mail: { send() {} }, breached: false }),
    ],
    accountArea: accountArea(),
    secondFactors: secondFactors({ factors: [totp(), recoveryCodes()] }),
  },
  many: {
    theme: { ...theme, brandColor: "#7a3ea8", cornerRadius: 2, layout: "plain", fontFamily: "Georgia, serif" },
    providers: [Apple, Discord, Dropbox, Facebook, GitHub, Google, LinkedIn, Spotify, Twitch].map((one) => one(client)),
  },
}

/** Opens a state of a page. */
const states = {
  first: { config: "all", open: (page) => page.goto("/auth/signin") },
  second: { config: "all", open: typePerson },
  wrong: {
    config: "all",
    async open(page) {
      await typePerson(page)
      await page.locator("input[name=password]").fill("not the password")
      await Promise.all([page.waitForURL(/error=/), page.locator(".button-primary").click()])
    },
  },
  mailed: {
    config: "all",
    async open(page) {
      await typePerson(page)
      const form = page.locator('form[action$="/signin/resend"]')
      await Promise.all([page.waitForURL(/verify-request/), form.locator("button").click()])
    },
  },
  "sign-up": { config: "all", open: (page) => page.goto("/auth/password/sign-up") },
  "last-used": {
    config: "all",
    async open(page) {
      await page.context().addCookies([{ name: "authjs.last-provider", value: "google", url: `${site}/auth/signin` }])
      await page.goto("/auth/signin")
    },
  },
  many: { config: "many", open: (page) => page.goto("/auth/signin") },
  account: { config: "all", open: (page) => openAccount(page) },
  "account-ways": { config: "all", open: (page) => openAccount(page, "/methods") },
  "account-sessions": { config: "all", open: (page) => openAccount(page, "/sessions") },
  "account-delete": { config: "all", open: (page) => openAccount(page, "/delete") },
  "set-up": {
    config: "all",
    async open(page) {
      await openAccount(page, "/factors")
      await page.locator('main form[action$="/factors"] button').first().click()
      await page.locator("main img").waitFor()
    },
  },
}

const site = "http://app.example.com"

async function typePerson(page) {
  await page.goto("/auth/signin")
  await page.locator("input[name=email]").first().fill("ada@example.com")
  await Promise.all([page.waitForURL(/step=2/), page.locator(".button-primary").click()])
}

/** Opens a page of the account area as a user who is signed in on a phone, too. */
async function openAccount(page, path = "") {
  const phone = await browser.newContext({ baseURL: site, userAgent: phoneAgent })
  await adapter.endSessions({ userId: user.id })
  await signIn(await phone.newPage())
  await phone.close()
  await signIn(page)
  await page.goto(`/auth/account${path}`)
}

const phoneAgent =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1"

async function signIn(page) {
  await typePerson(page)
  await page.locator("input[name=password]").fill(password)
  await Promise.all([page.waitForURL(`${site}/`), page.locator(".button-primary").click()])
}

const looks = [
  { name: "1280", viewport: { width: 1280, height: 800 }, colorScheme: "light" },
  { name: "390-dark", viewport: { width: 390, height: 780 }, colorScheme: "dark" },
  { name: "320-arabic", viewport: { width: 320, height: 720 }, colorScheme: "light", locale: "ar" },
]

/** Runs in the browser. The margins of a wide window show nothing. */
function findContent() {
  const boxes = [...document.body.children]
    .map((element) => element.getBoundingClientRect())
    .filter(({ width }) => width > 0)
  const left = Math.min(...boxes.map(({ left }) => left)) - 32
  const right = Math.max(...boxes.map(({ right }) => right)) + 32
  return { x: Math.max(left, 0), y: 0, width: right - Math.max(left, 0), height: document.documentElement.scrollHeight }
}

/** What other sites show of a page that links here: 1200 by 630 pixels, as PNG, because not all of them read WebP. */
async function takeSocialPicture() {
  const [icon, picture] = ["icon.svg", "sign-in-light.png"].map((name) => {
    const type = name.endsWith(".svg") ? "image/svg+xml" : "image/png"
    return `data:${type};base64,${readFileSync(join(folder, name)).toString("base64")}`
  })
  const page = await browser.newPage({ viewport: { width: 1200, height: 630 } })
  await page.setContent(`<style>
    body { display: flex; gap: 72px; align-items: center; margin: 0; padding: 0 80px; height: 630px; overflow: hidden;
      background: #f3f6f5; color: #1b1b1f; font-family: system-ui, sans-serif }
    h1 { margin: 24px 0 16px; font-size: 76px }
    p { margin: 0; font-size: 38px; line-height: 1.35; color: #3c3c43 }
    .picture { flex: none; width: 400px; border-radius: 16px; box-shadow: 0 12px 48px rgb(0 0 0 / 18%) }
  </style>
  <div><img src="${icon}" width="88" alt=""><h1>Latchkey</h1><p>Authentication for the Web, in TypeScript</p></div>
  <img class="picture" src="${picture}" alt="">`)
  await page.screenshot({ path: join(folder, "social.png") })
}

let handler
const server = createServer((request, response) => {
  // Browsers send it over https alone; this one also to the origin that it treats as secure, and the pages would warn.
  delete request.headers["sec-fetch-site"]
  return handler(request, response)
})
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
const resolver = `--host-resolver-rules=MAP app.example.com:80 127.0.0.1:${server.address().port}`
const browser = await chromium.launch({
  executablePath: chromiumPath,
  // Passkeys need a secure origin.
  args: ["--no-sandbox", "--disable-gpu", resolver, `--unsafely-treat-insecure-origin-as-secure=${site}`],
})
const folder = process.argv[2] ?? join(root, "docs", "public")
mkdirSync(join(folder, "pages"), { recursive: true })

handler = toNodeHandler({ ...common, ...configs.front })
for (const colorScheme of ["light", "dark"]) {
  const page = await browser.newPage({ viewport: { width: 460, height: 600 }, deviceScaleFactor: 2, colorScheme })
  await page.goto(`${site}/auth/signin`)
  await page.screenshot({ path: join(folder, `sign-in-${colorScheme}.png`) })
}

await takeSocialPicture()

await adapter.createUser(user)
const github = { provider: "github", type: "oauth", providerAccountId: "1815" }
await adapter.linkAccount({ ...github, userId: user.id })
await setPassword({ ...common, ...configs.all }, user.id, password)

for (const [state, { config, open }] of Object.entries(states)) {
  handler = toNodeHandler({ ...common, ...configs[config] })
  for (const { name, ...look } of looks) {
    const context = await browser.newContext({ baseURL: site, locale: "en", ...look })
    const page = await context.newPage()
    await open(page)
    const clip = look.viewport.width > 1000 && { clip: await page.evaluate(findContent) }
    await savePicture(page, join(folder, "pages", `${state}-${name}.webp`), { fullPage: true, ...clip })
    await context.close()
  }
}
await browser.close()
server.close()
