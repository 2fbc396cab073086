import type { SolidEvent } from "../src/index.js"

export const origin = "http://app.test"

/** The event of a form that the browser posts to a server function. */
export function formEvent(headers: Record<string, string> = {}, init: RequestInit = {}): Required<SolidEvent> {
  const request = new Request(`${origin}/_server?id=1`, { method: "POST", headers: { origin, ...headers }, ...init })
  return { request, clientAddress: "192.0.2.1", response: { headers: new Headers() } }
}

export function toForm(fields: Readonly<Record<string, string>>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  return form
}

/** The `Cookie` header that the browser sends after a response. */
export function toCookies(response: Response): string {
  return response.headers
    .getSetCookie()
    .map((line) => line.split(";", 1)[0])
    .join("; ")
}
