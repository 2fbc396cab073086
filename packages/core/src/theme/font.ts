/** Whether a text is a list of font names, and nothing that would end a declaration of CSS. */
export function isFontFamily(value: unknown): value is string {
  return typeof value === "string" && /^[\w\s"',-]+$/.test(value)
}
