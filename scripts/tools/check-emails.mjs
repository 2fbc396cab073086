// Checks every email, in English, German and Arabic, against what the large mail clients support (caniemail.com): an element
// or a property that one of them ignores must be in the list below, with the reason why the email works without it.
import { caniemail } from "caniemail"
import { importCore } from "../import-core.mjs"

const clients = ["apple-mail.*", "gmail.*", "outlook.*", "samsung-email.*", "yahoo.*"]

/** What some of these clients ignore, and why an email works without it. */
const harmless = {
  "@media": "dark colors and the dark logo: without it, the light ones are shown",
  "color-scheme CSS property": "dark colors",
  "color-scheme meta tag": "dark colors",
  "<style> element": "dark colors",
  "<body> element": "its background is that of the table in it, too",
  "<bdi> element": "keeps the order of names and addresses, which clients find for most of them",
  "display:none": "hides the preview, which is then one more sentence",
  "border-radius": "corners are square",
  "max-height property": "hides the preview, together with display:none",
  overflow: "hides the preview, together with display:none",
  "height property": "the logo has the attribute, too",
  "word-break": "clients break a long link themselves",
  "role attribute": "screen readers may announce the tables",
}

function readSources() {
  const files = {
    "mail/message.ts": "signInMail, writeFeatureMessage",
    "mail/notices.ts": "noticeMessages",
    "features/account-area/mail-messages.ts": "accountMailMessages",
    "methods/password/mail-messages.ts": "passwordMailMessages",
    "messages/languages/ar.ts": "ar",
    "messages/languages/de.ts": "de",
  }
  const names = Object.entries(files).map(([file, exports]) => `export { ${exports} } from "./${file}"`)
  return importCore(names.join("\n"))
}

const url = "https://harbour.example/auth/callback/email?token=0123456789abcdef&email=ada%40example.com"
const theme = { name: "Harbour", logo: "/logo.png", logoDark: "/dark.png" }

/** All emails of one language. */
function* listEmails(core, locale) {
  const signIn = { url, host: "harbour.example", validSeconds: 86_400, theme, locale }
  yield ["sign-in", core.signInMail(signIn)]
  yield ["sign-in with a code", core.signInMail({ ...signIn, code: "540622", isCodeInSubject: true })]
  const lists = {
    "notice.": core.noticeMessages,
    "accountMail.": core.accountMailMessages,
    "passwordMail.": core.passwordMailMessages,
  }
  const frame = { theme, locale, time: Date.UTC(2026, 0, 1), userAgent: "Firefox/140.0 (Windows NT 10.0)" }
  for (const [prefix, messages] of Object.entries(lists)) {
    for (const id of Object.keys(messages).filter((each) => each.endsWith(".subject"))) {
      const kind = id.slice(0, -".subject".length)
      const texts = { from: "check", prefix, messages, buttons: {}, notices: [kind] }
      const code = `${kind}.code` in messages ? "540622" : undefined
      const values = { address: "ada@example.com", provider: "GitHub" }
      yield [prefix + kind, core.writeFeatureMessage({ kind, url, code, values, seconds: 600 }, texts, frame)]
    }
  }
}

const core = await readSources()
const locales = [
  { language: "en", direction: "ltr", messages: {} },
  ...[core.de, core.ar].map(({ tag, direction = "ltr", messages }) => ({ language: tag, direction, messages })),
]
const problems = new Set()
const seen = new Set()
let count = 0
for (const locale of locales) {
  for (const [name, { html, text, subject }] of listEmails(core, locale)) {
    count++
    const { issues } = caniemail({ clients, html })
    for (const [client, features] of issues.errors) {
      for (const { title } of features) {
        seen.add(title)
        if (!Object.hasOwn(harmless, title)) problems.add(`${title} is ignored by ${client}, for example in ${name}`)
      }
    }
    if (/\{\w+\}/.test(html + text + subject))
      problems.add(`${name}, ${locale.language}: a placeholder is not filled in`)
  }
}
for (const title of Object.keys(harmless)) {
  if (!seen.has(title))
    problems.add(`${title}: no email has it any more, or all clients support it. Remove it from the list`)
}
for (const problem of problems) console.error(problem)
console.log(`emails: ${count} checked for ${clients.length} makers of clients, ${problems.size} problems`)
process.exitCode = problems.size > 0 ? 1 : 0
