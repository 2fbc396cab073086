import type { SolidEvent } from "../src/index.js"

export const origin = "http://app.test"

type FormEvent = Required<Omit<SolidEvent, "nativeEvent">>

/**
 * The same event in a page whose stream may begin, as h3 2 has it: its getter `res` makes a response when it is first read,
 * and again when the headers of that one were taken.
 */
export function streamed<Event extends SolidEvent>(event: Event) {
  let res: unknown = event.response
  const nativeEvent = {
    get res() {
      res ??= { headers: new Headers() }
      return res
    },
  }
  const begin = () => {
    res = undefined
  }
  return { event: { ...event, nativeEvent }, begin }
}

/** The event of a form that the browser posts to a server function. */
export function formEvent(headers: Record<string, string> = {}, init: RequestInit = {}): FormEvent {
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
