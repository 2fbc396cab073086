/** The error with which Next redirects. */
export class RedirectError extends Error {
  readonly url: string

  constructor(url: string) {
    super("NEXT_REDIRECT")
    this.url = url
  }
}

export function redirect(url: string): never {
  throw new RedirectError(url)
}
