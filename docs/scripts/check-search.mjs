// Types every question of docs/questions.md into the search of the built site, and compares the first result.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { openBrowser } from "./browser.mjs"
import { root } from "./pages.mjs"

const rows = readFileSync(join(root, "docs", "questions.md"), "utf8").matchAll(
  /^\| (?!question|---)(.+?) \| (?:\[[^\]]*\]\(([^)#]+)\.md\)|`([^`]+)`) \|$/gm,
)
const questions = [...rows].map(([, question, link, path]) => ({ question, expected: `/${link ?? path}.html` }))
if (questions.length < 30) throw new Error(`docs/questions.md has ${questions.length} questions that can be read`)

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

const { browser, site, close } = await openBrowser()
const problems = []
try {
  const page = await browser.newPage()
  await page.goto(`${site}/`)
  await page.locator(".VPNavBarSearch button").first().click()
  for (const { question, expected } of questions) {
    const [first, ...others] = (await search(page, question)).map((link) => link.replace(/\/(?=#|$)/, "/index.html"))
    if (first?.split("#")[0] === expected) continue
    const place = [first, ...others].findIndex((link) => link?.split("#")[0] === expected) + 1
    problems.push(
      `"${question}": the first result is ${first ?? "none"}, ${expected} is ${place ? `number ${place}` : "missing"}`,
    )
  }
} finally {
  await close()
}

for (const problem of problems) console.error(problem)
console.log(`search: ${questions.length} questions, ${problems.length} with another first result`)
process.exit(problems.length > 0 ? 1 : 0)
