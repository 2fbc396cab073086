import { type HTMLElement, parse } from "node-html-parser"
import { type Form, readForm, readForms } from "./form.js"
import type { Arrival, Hop } from "./navigation.js"
import { defaultReferrerPolicy, type Initiator } from "./request.js"

/** What a browser shows after a navigation. */
export interface Page {
  /** The address bar. */
  readonly url: URL
  /** 0: nobody answers at that origin; what the browser was sent to can still be read from `url`. */
  readonly status: number
  readonly headers: Headers
  /** Every request of the navigation, redirects included; the last one brought this page. */
  readonly hops: readonly Hop[]
  readonly title: string
  text(): string
  /** The body as JSON. The type is what the caller expects; nothing checks it. */
  json<T = unknown>(): T
  forms(): readonly Form[]
  /**
   * @param selector CSS selector of the form, or of something in it. Default: the first form.
   * @throws Error when there is none.
   */
  form(selector?: string): Form
  find(selector: string): PageElement | null
  findAll(selector: string): readonly PageElement[]
}

export async function createPage({ url, response, hops }: Arrival): Promise<Page> {
  const text = response ? await response.text() : ""
  const headers = response?.headers ?? new Headers()
  const document = parseDocument(isHtml(headers) ? text : "")
  return {
    url,
    status: response?.status ?? 0,
    headers,
    hops,
    title: document.querySelector("title")?.text.trim() ?? "",
    text: () => text,
    json<T>(): T {
      // The caller states what it expects to have been sent.
      return JSON.parse(text) as T
    },
    forms: () => readForms(document, url),
    form: (selector = "form") => readForm(getForm(document, selector, url), document, url),
    find(selector) {
      const found = document.querySelector(selector)
      return found && toPageElement(found)
    },
    findAll: (selector) => document.querySelectorAll(selector).map(toPageElement),
  }
}

/** The page as the cause of further requests. */
export function toInitiator(page: Page): Initiator {
  const fromMeta = page.find('meta[name="referrer"]')?.attribute("content")
  const fromHeader = page.headers.get("referrer-policy")?.split(",").at(-1)?.trim()
  return { url: page.url, referrerPolicy: (fromMeta || fromHeader || defaultReferrerPolicy).toLowerCase() }
}

/** The form that a page sends off by itself, as in OAuth 2.0 Form Post Response Mode. */
export function findSelfSubmittingForm(page: Page): Form | null {
  const isSelfSubmitting = page.find("body[onload]")?.attribute("onload")?.includes(".submit()") ?? false
  return isSelfSubmitting ? (page.forms()[0] ?? null) : null
}

function getForm(document: HTMLElement, selector: string, url: URL): HTMLElement {
  const form = document.querySelector(selector)?.closest("form")
  if (!form) throw new Error(`The page ${url.pathname} has no form ${selector}`)
  return form
}

function isHtml(headers: Headers): boolean {
  return headers.get("content-type")?.toLowerCase().startsWith("text/html") ?? false
}

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

function toPageElement(element: HTMLElement): PageElement {
  return {
    tag: element.localName.toLowerCase(),
    text: element.text.replace(/\s+/g, " ").trim(),
    html: element.outerHTML,
    attribute: (name) => element.getAttribute(name),
  }
}
