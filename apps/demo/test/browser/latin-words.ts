import type { Page } from "playwright-core"

/** Names that are written alike in every language. */
const names = [
  "Latchkey demo",
  "Demo ID",
  "JavaScript",
  "https://",
  "http://",
  "https",
  "http",
  "PIN",
  "QR",
  "UTC",
  "Chrome",
  "Linux",
]

/**
 * The words in Latin letters that a page or a mail has in a language with another script: text, even where it is hidden, and
 * what screen readers say. Apart from names, addresses and `known`.
 */
export async function findLatinWords(page: Page, known: readonly string[] = []): Promise<string[]> {
  return findLatinWordsIn(await page.evaluate(readTexts), known)
}

/** The same in plain text. */
export function findLatinWordsIn(text: string, known: readonly string[] = []): string[] {
  return withoutKnown(text, known).match(/\p{Script=Latin}{2,}/gu) ?? []
}

function withoutKnown(text: string, known: readonly string[]): string {
  const rest = text.replace(/https?:\/\/\S+/g, " ").replace(/[\w.•+-]+@[\w.-]+/g, " ")
  return [...names, ...known].reduce((left, name) => left.replaceAll(name, " "), rest)
}

/** Runs in the page. */
function readTexts(): string {
  const attributes = ["aria-label", "alt", "title", "placeholder", "data-passkey-busy"]
  const spoken = [...document.querySelectorAll("*")].flatMap((element) =>
    attributes.map((name) => element.getAttribute(name) ?? ""),
  )
  // What scripts show later.
  const later = [...document.querySelectorAll<HTMLElement>("[data-passkey-texts]")].flatMap(({ dataset }) =>
    Object.values<string>(JSON.parse(dataset["passkeyTexts"] ?? "{}")),
  )
  const body = document.body.cloneNode(true) as HTMLElement
  for (const element of body.querySelectorAll("script,style,code")) element.remove()
  // With scripts, its content is text.
  for (const element of body.querySelectorAll("noscript")) element.outerHTML = `<div>${element.textContent}</div>`
  const texts: string[] = []
  const walker = document.createTreeWalker(body, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) texts.push(walker.currentNode.nodeValue ?? "")
  return [document.title, ...texts, ...spoken, ...later].join("\n")
}
