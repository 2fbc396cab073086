/** Adds a query to a page address, which may have one already. */
export function withQuery(address: string, query: Readonly<Record<string, string | undefined>>): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) params.set(name, value)
  const text = params.toString()
  if (text === "") return address
  const [beforeFragment = "", ...fragment] = address.split("#")
  const joined = `${beforeFragment}${beforeFragment.includes("?") ? "&" : "?"}${text}`
  return [joined, ...fragment].join("#")
}
