export function urlWithoutSlash(url: string): string {
  return url.replace(/\/$/, "")
}

/** An address as it is compared: without query and fragment. */
export function placeOf(address: string | URL): string {
  const { origin, pathname } = new URL(address)
  return origin + pathname
}
