/** Whether there is a URL, and its scheme is http or https. */
export function isHttp(url: URL | null): url is URL {
  return url?.protocol === "https:" || url?.protocol === "http:"
}
