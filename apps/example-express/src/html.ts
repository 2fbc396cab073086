/** Markup that is safe to put into other markup. */
export interface Html {
  readonly markup: string
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
}

/** Escapes every value that is not markup itself: html`<p>${name}</p>`. */
export function html(texts: TemplateStringsArray, ...values: readonly (string | Html)[]): Html {
  const parts = values.map((value) => (typeof value === "string" ? escapeText(value) : value.markup))
  return { markup: String.raw({ raw: texts }, ...parts) }
}

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? "")
}
