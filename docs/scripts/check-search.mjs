// Types every question of docs/questions.md into the search of the built site, and compares the first result. The questions of
// docs/other-questions.json were written apart from the pages: most of them have to find one that answers them among the first three.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { openBrowser } from "./browser.mjs"
import { root } from "./pages.mjs"

const rows = readFileSync(join(root, "docs", "questions.md"), "utf8").matchAll(
  /^\| (?!question|---)(.+?) \| (?:\[[^\]]*\]\(([^)#]+)\.md\)|`([^`]+)`) \|$/gm,
)
const questions = [...rows].map(([, question, link, path]) => ({ question, expected: `/${link ?? path}.html` }))
if (questions.length < 30) throw new Error(`docs/questions.md has ${questions.length} questions that can be read`)

const others = JSON.parse(readFileSync(join(root, "docs", "other-questions.json"), "utf8"))
/** How many of ten other questions have to find their page. */
const leastOfTen = 9

/** The addresses of the results for a question, best first. */
async function search(page, question) {
  const box = page.locator("#localsearch-input")
  const results = page.locator(".results a.result")
  // Results follow the input after a delay, all at once. Those of the question before have to go first.
  await box.fill("")
  await results.first().waitFor({ state: "detached" })
  await box.fill(question)
  await results.or(page.locator(".results .no-results")).first().waitFor({ state: "attached" })
  const links = await results.evaluateAll((all) => all.map((link) => new URL(link.href)))
  return links.map(({ pathname, hash }) => `${pathname}${hash}`)
}

const withIndex = (link) => link.replace(/\/(?=#|$)/, "/index.html")

const { browser, site, close } = await openBrowser()
const problems = []
const lost = []
try {
  const page = await browser.newPage()
  await page.goto(`${site}/`)
  await page.locator(".VPNavBarSearch button").first().click()
  for (const { question, expected } of questions) {
    const [first, ...rest] = (await search(page, question)).map(withIndex)
    if (first?.split("#")[0] === expected) continue
    const place = [first, ...rest].findIndex((link) => link?.split("#")[0] === expected) + 1
    problems.push(
      `"${question}": the first result is ${first ?? "none"}, ${expected} is ${place ? `number ${place}` : "missing"}`,
    )
  }
  for (const [question, ...answers] of others) {
    const found = (await search(page, question)).map((link) => withIndex(link).split("#")[0])
    const pages = [...new Set(found)].slice(0, 3)
    if (!answers.some((answer) => pages.includes(`/${answer}.html`)))
      lost.push(`"${question}": ${answers.join(" or ")} is not among ${pages.join(", ")}`)
  }
} finally {
  await close()
}

for (const line of lost) console.log(line)
const hits = others.length - lost.length
console.log(`search: ${hits} of ${others.length} other questions find their page among the first three`)
if (hits * 10 < others.length * leastOfTen) problems.push("search: too few of the other questions find their page")
console.log(`search: ${questions.length} questions, ${problems.length} with another first result`)
for (const problem of problems) console.error(problem)
process.exit(problems.length > 0 ? 1 : 0)
