import { complain } from "./vendor-flow.js"

/** The parameters of a request in one encoding; it must have them in no other. */
export async function readFields(request: Request, encoding: "form" | "json" | "query"): Promise<URLSearchParams> {
  const { searchParams } = new URL(request.url)
  const body = await request.text()
  if (encoding === "query") {
    complain("request", body === "" ? [] : ["there is a body"])
    return searchParams
  }
  const type = request.headers.get("content-type") ?? "no content type"
  const wanted = encoding === "json" ? "application/json" : "application/x-www-form-urlencoded"
  complain("request", type.startsWith(wanted) ? [] : [`the body is ${type}, not ${wanted}`])
  return encoding === "form" ? new URLSearchParams(body) : new URLSearchParams(parseTexts(body))
}

function parseTexts(body: string): Record<string, string> {
  const members: unknown = JSON.parse(body)
  if (typeof members !== "object" || members === null) throw new TypeError("The body is no JSON object")
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]),
  )
}
