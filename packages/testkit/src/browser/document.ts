import { type HTMLElement, parse } from "node-html-parser"

/** An element of a page. */
export interface PageElement {
  /** In lower case. */
  readonly tag: string
  /** Its text with the white space that a reader would not see taken out. */
  readonly text: string
  readonly html: string
  /** Undefined when absent. */
  attribute(name: string): string | undefined
}

/** Parses HTML as a browser without scripts sees it: what stands in `noscript` is there. */
export function parseDocument(html: string): HTMLElement {
  return parse(html, { lowerCaseTagName: true, blockTextElements: { script: true, style: true } })
}

export function toPageElement(element: HTMLElement): PageElement {
  return {
    tag: element.localName.toLowerCase(),
    text: element.text.replace(/\s+/g, " ").trim(),
    html: element.outerHTML,
    attribute: (name) => element.getAttribute(name),
  }
}
