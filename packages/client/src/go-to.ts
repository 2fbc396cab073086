/** Loads an address. One that differs only in its fragment would not be loaded by itself. */
export function goTo(url: string): void {
  const isSamePage = withoutFragment(url) === withoutFragment(location.href) && url.includes("#")
  location.assign(url)
  if (isSamePage) location.reload()
}

function withoutFragment(url: string): string {
  return url.split("#", 1)[0] ?? url
}
