import { type HTMLElement, parse } from "node-html-parser"
import { type Form, readForm, readForms } from "./form.js"
import type { Arrival, Hop } from "./navigation.js"
import { defaultReferrerPolicy, type Initiator } from "./request.js"

/** The page that a browser shows after a navigation. */
export interface Page {
  /** The URL in the address bar. */
  readonly url: URL
  /** Status of the last response; 0 if no handler serves the origin of `url`. */
  readonly status: number
  readonly headers: Headers
  /** Every request of the navigation, redirects included; the last one loaded this page. */
  readonly hops: readonly Hop[]
  /** Text of the `title` element. Empty when absent. */
  readonly title: string
  /** Returns the body as text. */
  text(): string
  /** Parses the body as JSON. The type is not checked. */
  json<T = unknown>(): T
  /** Reads all forms of the page. */
  forms(): readonly Form[]
  /**
   * Reads one form.
   * @param selector CSS selector of the form or of an element in it. Default: the first form.
   * @throws Error if nothing matches.
   */
  form(selector?: string): Form
  /** Returns the first element that matches a CSS selector, or null. */
  find(selector: string): PageElement | null
  /** Returns all elements that match a CSS selector. */
  findAll(selector: string): readonly PageElement[]
}

/** Reads the body of the last response. */
export async function createPage({ url, response, hops }: Arrival): Promise<Page> {
  const text = response ? await response.text() : ""
  const headers = response?.headers ?? new Headers()
  let parsed: HTMLElement | undefined
  // Most pages of a flow are never looked at.
  const document = (): HTMLElement => {
    parsed ??= parseDocument(isHtml(headers) ? text : "")
    return parsed
  }
  return {
    url,
    status: response?.status ?? 0,
    headers,
    hops,
    get title() {
      return document().querySelector("title")?.text.trim() ?? ""
    },
    text: () => text,
    json<T>(): T {
      // The type parameter is the caller's claim.
      return JSON.parse(text) as T
    },
    forms: () => readForms(document(), url),
    form: (selector = "form") => readForm(getForm(document(), selector, url), document(), url),
    find(selector) {
      const found = document().querySelector(selector)
      return found && toPageElement(found)
    },
    findAll: (selector) => document().querySelectorAll(selector).map(toPageElement),
  }
}

/** The page as the initiator of further requests. */
export function toInitiator(page: Page): Initiator {
  const fromMeta = page.find('meta[name="referrer"]')?.attribute("content")
  const fromHeader = page.headers.get("referrer-policy")?.split(",").at(-1)?.trim()
  return { url: page.url, referrerPolicy: (fromMeta || fromHeader || defaultReferrerPolicy).toLowerCase() }
}

/** The form that a page submits on load, as in OAuth 2.0 Form Post Response Mode. */
export function findSelfSubmittingForm(page: Page): Form | null {
  if (!page.text().includes("onload")) return null
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
  /** Lowercase name. */
  readonly tag: string
  /** Text content with whitespace collapsed. */
  readonly text: string
  /** `outerHTML`. */
  readonly html: string
  /** Returns the value of an attribute, or undefined. */
  attribute(name: string): string | undefined
}

/**
 * Parses HTML as a browser without scripts does, `noscript` included.
 * @internal Exported for its tests.
 */
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
