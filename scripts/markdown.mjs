/** Text as it is, in one line of Markdown: the title of a test in a table. */
export const escapeMarkdown = (text) => text.replace(/[\\`*_{}[\]<>|$]/g, "\\$&").replace(/\s+/g, " ")
