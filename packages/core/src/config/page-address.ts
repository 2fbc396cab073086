import { isHttp } from "../web/is-http.js"

/** Whether a page of the host's can be where it says: a path with one slash before it, or an http(s) URL. */
export function isPageAddress(address: string): boolean {
  if (address.startsWith("/")) return !/^\/[/\\]/.test(address)
  return isHttp(URL.parse(address))
}
