// Markdown of the generated pages.

const cell = (text) => text.replaceAll("|", "\\|")

export const table = (head, rows) =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.map(cell).join(" | ")} |`).join("\n")

/** Markdown takes a word in angle brackets for a tag, and Vue takes double braces for an expression, both outside code. */
export const prose = (text) =>
  text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith("`") ? part : part.replace(/<(?=\w)/g, "&lt;").replaceAll("{{", "&#123;&#123;")))
    .join("")

/** The members of an interface: name, type, doc comment. */
export const fieldTable = (members) =>
  table(
    ["field", "type", "description"],
    members.map(({ name, type, isOptional, isDeprecated, comment }) => [
      `\`${name}${isOptional ? "?" : ""}\``,
      `\`${type.replace(/\s+/g, " ")}\``,
      prose(isDeprecated ? `Deprecated. ${comment}` : comment),
    ]),
  )
