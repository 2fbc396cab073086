/** The app's page that sent the request, without the error that it showed. Null for pages of other sites. */
export function findFormPage(
  headers: { get(name: "referer"): string | null | undefined } | undefined,
  origin: string,
): string | null {
  const page = URL.parse(headers?.get("referer") ?? "")
  if (page?.origin !== origin) return null
  if (page.searchParams.has("error")) page.searchParams.delete("error")
  return page.href
}
