// Writes docs/languages.md: the languages of the built-in pages and emails, and who has read them (docs/languages.json).
// The same file has, for each message, a hash of the English that its translations say. With tags as arguments, and IDs if
// not all messages are meant, the hashes of these translations are renewed: `languages de fr signIn.heading`. `--check`
// writes nothing and fails if the English of a translation has changed since, or if the page is out of date.
import { createHash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { importCore } from "./import-core.mjs"

const root = join(import.meta.dirname, "..")
const pageFile = join(root, "docs", "languages.md")
const args = process.argv.slice(2)
const dataFile = args.find((arg) => arg.endsWith(".json")) ?? join(root, "docs", "languages.json")

/** The files of the English messages and the names of their lists, by the start of the IDs in a language. */
const lists = {
  "": ["messages/pages.ts", "pageMessages"],
  "passkey.": ["pages/passkey-form.tsx", "passkeyMessages"],
  "mail.": ["mail/message.ts", "mailMessages"],
  "notice.": ["mail/notices.ts", "noticeMessages"],
  "password.": ["methods/password/messages.ts", "passwordMessages"],
  "passwordMail.": ["methods/password/mail-messages.ts", "passwordMailMessages"],
  "factor.": ["features/second-factors/messages.ts", "factorMessages"],
  "native.": ["features/native-apps/consent-page.tsx", "nativeMessages"],
  "account.": ["features/account-area/messages.ts", "accountMessages"],
  "accountMail.": ["features/account-area/mail-messages.ts", "accountMailMessages"],
}

async function readEnglish() {
  const exports = Object.values(lists).map(([file, name]) => `export { ${name} } from "./${file}"`)
  const core = await importCore(exports.join("\n"))
  return Object.entries(lists).flatMap(([prefix, [, name]]) =>
    Object.entries(core[name]).map(([id, message]) => [prefix + id, toHash(message)]),
  )
}

const toHash = (message) => createHash("sha256").update(JSON.stringify(message)).digest("hex").slice(0, 8)

/** The hash that a translation was made from. One hash stands for all languages; otherwise each has its languages. */
function findHash(recorded, tag) {
  if (typeof recorded === "string") return recorded
  return Object.entries(recorded ?? {}).find(([, tags]) => tags.split(" ").includes(tag))?.[0]
}

function renew(recorded, hash, renewed, tags) {
  const byHash = Map.groupBy(tags, (tag) => (renewed.includes(tag) ? hash : (findHash(recorded, tag) ?? "none")))
  if (byHash.size === 1) return [...byHash.keys()][0]
  return Object.fromEntries([...byHash].sort().map(([each, own]) => [each, own.join(" ")]))
}

/** A line for each language whose translations do not say what the English says now. */
function findStale(english, { readBy, messages }) {
  return Object.keys(readBy).flatMap((tag) => {
    const stale = english.filter(([id, hash]) => findHash(messages[id], tag) !== hash).map(([id]) => id)
    return stale.length > 0 ? [`${tag}: the English has changed: ${stale.join(", ")}`] : []
  })
}

const names = new Intl.DisplayNames("en", { type: "language", languageDisplay: "standard" })

function render(english, { readBy }) {
  const all = Object.entries(readBy)
  const rows = all.map(([tag, reader]) => {
    const imported = `\`${tag.toLowerCase()}\`, \`${tag.replaceAll("-", "")}\``
    return `| ${names.of(tag)} | ${imported} | ${reader === null ? "no" : `yes, ${reader}`} |`
  })
  return `# Languages

The built-in pages and emails come in English and ${all.length} other languages, ${english.length} messages each. [Pages and emails](guides/pages.md#languages)
explains how to use them. A machine made the translations, and a test compares their placeholders and plural forms with the English. Whether they
read well, only someone who speaks the language can tell. Languages that no one has read yet say *no*.

| language | file and export | read by a native speaker |
|---|---|---|
${rows.join("\n")}

## Help with a language

You need no knowledge of the code, and ten corrected sentences help as much as a whole file.

1. Open the file of the language in [packages/core/src/messages/languages](../packages/core/src/messages/languages). Each line has an ID and a sentence. The
   English sentence of an ID is in \`messages.ts\` or \`mail-messages.ts\` of its feature. Names in braces, such as \`{host}\`, stay as they are.
2. Say what the English says, in the words that a well-known site would use in your language. Prefer the name of a thing ("two-step verification") to a
   literal translation. Each sentence is read alone on a small screen, so keep it short.
3. Change what sounds wrong, and say in the pull request which part you have read. After you have read all of it, put your name or \`anonymous\` at
   the language in \`docs/languages.json\`, below \`readBy\`, remove the note at the top of the file, and run
   \`npm run generate -- languages\`.
4. If an English sentence is the cause, change it first. \`npm run check\` then names the languages that do not say it yet. After changing such a
   translation, run \`npm run generate -- languages de\` with the tag of your language.

To add a language, copy a file, translate it, and add the language to \`all.ts\` beside it and to \`docs/languages.json\`. The compiler names messages that are missing.
`
}

const data = JSON.parse(readFileSync(dataFile, "utf8"))
const english = await readEnglish()
const tags = Object.keys(data.readBy)
const mistakes = []

if (args.includes("--check")) {
  const stale = findStale(english, data)
  mistakes.push(...stale)
  if (stale.length > 0) mistakes.push("Translate them anew, then: npm run generate -- languages <tags>")
  if (readFileSync(pageFile, "utf8") !== render(english, data))
    mistakes.push("docs/languages.md is not up to date: npm run generate -- languages")
} else {
  const renewed = args.filter((arg) => tags.includes(arg))
  const ids = args.filter((arg) => english.some(([id]) => id === arg))
  const unknown = args.filter((arg) => !renewed.includes(arg) && !ids.includes(arg) && arg !== dataFile)
  if (unknown.length > 0) throw new Error(`Neither a language nor the ID of a message: ${unknown.join(", ")}`)
  const messages = english.map(([id, hash]) => [
    id,
    renew(data.messages[id], hash, ids.length === 0 || ids.includes(id) ? renewed : [], tags),
  ])
  writeFileSync(dataFile, `${JSON.stringify({ ...data, messages: Object.fromEntries(messages) }, null, 2)}\n`)
  writeFileSync(pageFile, render(english, data))
}
for (const mistake of mistakes) console.error(mistake)
console.log(`languages: ${tags.length} besides English, messages: ${english.length}`)
process.exitCode = mistakes.length > 0 ? 1 : 0
