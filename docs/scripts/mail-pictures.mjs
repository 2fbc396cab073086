// Takes a picture of every email for docs/guides/email.md, from the sources: `node docs/scripts/mail-pictures.mjs`. Run it
// after changing an email. With a folder as argument, it writes there instead.
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { chromium } from "playwright-core"
import { chromiumPath } from "../../scripts/chromium.ts"
import { importCore } from "../../scripts/import-core.mjs"
import { root } from "./pages.mjs"
import { savePicture } from "./pictures.mjs"

const core = await importCore(`
export { english } from "./messages/locale.js"
export { signInMail, writeFeatureMessage } from "./mail/message.js"
export { passwordMailMessages } from "./methods/password/mail-messages.js"
export { accountMailMessages } from "./features/account-area/mail-messages.js"
export { noticeMessages } from "./mail/notices.js"
`)

const site = "https://harbour.example"
const code = "540622"
const theme = { brandColor: "#0f6b5c", name: "Harbour", links: { privacy: "/privacy", support: "/help" } }
const browserOfAda =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"
const frame = { theme, locale: core.english, time: Date.UTC(2026, 10, 28, 9, 41), userAgent: browserOfAda }
const toUrl = (path) => `${site}/auth/${path}?token=Yx3kQm8Zt0pVn5Lr&email=ada%40example.com`

/** The emails of a feature, by what the ids of their buttons and of those with a code are. */
const features = {
  password: {
    messages: core.passwordMailMessages,
    buttons: {
      ...{ "sign-up": "sign-up.button", known: undefined, reset: "choose", unknown: "unknown.button" },
      ...{ "no-password": undefined, add: "add.button", changed: "choose", added: "choose" },
      ...{ guessed: "choose", breached: "choose" },
    },
    notices: ["changed", "added", "guessed", "breached"],
  },
  account: {
    messages: core.accountMailMessages,
    buttons: {
      ...{ change: "change.button", taken: undefined, changed: "changed.button", restored: "home" },
      ...{ deleted: "home", planned: undefined, kept: undefined },
    },
    notices: ["changed", "restored", "deleted", "planned", "kept"],
  },
  notice: {
    messages: core.noticeMessages,
    buttons: Object.fromEntries(
      Object.keys(core.noticeMessages)
        .filter((id) => id.endsWith(".subject"))
        .map((id) => [id.slice(0, -".subject".length), "home"]),
    ),
    notices: Object.keys(core.noticeMessages).map((id) => id.split(".")[0]),
  },
}

const values = { address: "g•••@example.com", provider: "GitHub" }

function* listMails() {
  const asked = { url: toUrl("callback/email"), host: "harbour.example", validSeconds: 86_400, theme }
  yield ["sign-in", core.signInMail({ ...asked, code, codeSeconds: 600 })]
  for (const [feature, { messages, buttons, notices }] of Object.entries(features)) {
    for (const kind of Object.keys(buttons)) {
      const hasCode = `${kind}.code` in messages
      const seconds = kind === "planned" ? 14 * 86_400 : 72 * 3600
      const mail = {
        kind,
        url: hasCode ? toUrl(feature) : `${site}/auth/account`,
        values,
        seconds,
        ...(hasCode && { code }),
      }
      yield [`${feature}-${kind}`, core.writeFeatureMessage(mail, { messages, prefix: "", buttons, notices }, frame)]
    }
  }
}

const folder = process.argv[2] ?? join(root, "docs", "public", "mails")
mkdirSync(folder, { recursive: true })
const browser = await chromium.launch({
  executablePath: chromiumPath,
  args: ["--no-sandbox", "--disable-gpu"],
})
const page = await browser.newPage({ viewport: { width: 600, height: 300 }, colorScheme: "light" })
for (const [name, { html }] of listMails()) {
  await page.setContent(html)
  await savePicture(page, join(folder, `${name}.webp`), { fullPage: true })
}
await browser.close()
