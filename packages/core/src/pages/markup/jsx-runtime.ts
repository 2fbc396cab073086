// Turns JSX into HTML text. The compiler imports this module for files whose first comment names `#markup`.
// docs/decisions/markup.md has the reasons for not using a library.

/** HTML that is complete and escaped. Only this module creates it, so no value of a visitor can pass for markup. */
class Markup {
  readonly html: string

  constructor(html: string) {
    this.html = html
  }
}

/** What an element may contain. Text is escaped; null, undefined and booleans are left out. */
export type Children = Markup | string | number | boolean | null | undefined | readonly Children[]

interface Attributes {
  readonly [name: string]: Children
  readonly children?: Children
}

/** The types that the compiler looks for. */
// biome-ignore lint/style/noNamespace: the compiler requires a namespace.
export declare namespace JSX {
  type Element = Markup
  interface ElementChildrenAttribute {
    readonly children: unknown
  }
  /** The compiler does not know the elements of HTML: the tests of the pages do. */
  interface IntrinsicElements {
    readonly [tag: string]: Attributes
  }
}

/** Creates an element, or calls a component. */
export function jsx(type: string, props: Attributes): Markup
export function jsx<Props>(component: (props: Props) => Markup, props: Props): Markup
export function jsx<Props extends Attributes>(type: string | ((props: Props) => Markup), props: Props): Markup {
  if (typeof type === "function") return type(props)
  const start = `<${type}${toAttributes(props)}`
  if (voidElements.has(type)) return new Markup(`${start}/>`)
  // A title has no elements.
  const content = type === "title" ? toText(props.children) : toHtml(props.children)
  return new Markup(`${start}>${content}</${type}>`)
}

export { jsx as jsxDEV, jsx as jsxs }

/** Several elements without one around them. */
export function Fragment({ children }: { readonly children?: Children }): Markup {
  return new Markup(toHtml(children))
}

/** The HTML of an element. */
export function renderToString({ html }: Markup): string {
  return html
}

/** HTML section 13.1.2: elements without content and end tag. */
const voidElements: ReadonlySet<string> = new Set(["br", "hr", "img", "input", "link", "meta", "source"])

function toHtml(children: Children): string {
  if (children instanceof Markup) return children.html
  if (Array.isArray(children)) return children.map(toHtml).join("")
  return toText(children).replace(isolated, "<bdi>$1</bdi>")
}

function toText(children: Children): string {
  return typeof children === "string" || typeof children === "number" ? escapeText(String(children)) : ""
}

/** A text that `messages/translate.ts` isolated from the sentence around it. */
const isolated = /\u2068([^\u2066-\u2069]*)\u2069/g

/** Names that end neither the attribute nor the tag. */
const attributeName = /^[a-z][\w:.-]*$/i

function toAttributes(attributes: Attributes): string {
  let text = ""
  for (const name of Object.keys(attributes)) {
    if (name !== "children" && attributeName.test(name)) text += toAttribute(name, attributes[name])
  }
  return text
}

/** WAI-ARIA and `data-` attributes have the values true and false; others are present or absent. */
function toAttribute(name: string, value: Children): string {
  const isStated = typeof value === "boolean" && /^(?:aria|data)-/.test(name)
  if (value === "" || (value === true && !isStated)) return ` ${name}`
  const text = isStated ? String(value) : value
  return typeof text === "string" || typeof text === "number" ? ` ${name}="${escapeText(String(text))}"` : ""
}

const references: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", '"': "&quot;" }

/** Escapes text for the content of an element and for an attribute in double quotes. */
export function escapeText(text: string): string {
  return text.replace(/[&<"]/g, (character) => references[character] ?? character)
}
