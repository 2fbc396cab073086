import type { Answer, Site } from "./site.js"

/** A provider of `GET /providers`. */
export interface ListedProvider {
  readonly id: string
  readonly type: string
  readonly callbackUrl: string
}

/** Parses the list of providers. Null if the body is something else. */
export function parseProviders(text: string): readonly ListedProvider[] | null {
  const list = parseObject(text)
  if (list === null) return null
  const providers = Object.values(list).map((each) => {
    const { id, type, callbackUrl } = toRecord(each)
    return typeof id === "string" &&
      typeof type === "string" &&
      typeof callbackUrl === "string" &&
      URL.canParse(callbackUrl)
      ? { id, type, callbackUrl }
      : null
  })
  const known = providers.filter((each) => each !== null)
  return known.length === providers.length ? known : null
}

/** Parses a JSON object. Null if the text is not one. */
export function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null
  } catch {
    return null // Sites answer with pages, too.
  }
}

function toRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {}
}

/** The token of a browser's forms, and its cookies. */
export interface FormToken {
  readonly csrfToken: string
  readonly cookies: ReadonlyMap<string, string>
}

/** Reads a token as a browser without cookies does. Null if the site gives none. */
export async function readFormToken(site: Site): Promise<(FormToken & { readonly answer: Answer }) | null> {
  const answer = await site.ask("csrf")
  const token = answer.status === 200 ? parseObject(answer.text)?.["csrfToken"] : undefined
  return typeof token === "string" ? { csrfToken: token, cookies: toJar(answer.setCookies), answer } : null
}

/** The cookies that a browser keeps. Headers that a proxy merged have one cookie, as browsers read them. */
export function toJar(setCookies: readonly string[]): ReadonlyMap<string, string> {
  const pairs = setCookies.map((each): readonly [string, string] => {
    const [pair = ""] = each.split(";", 1)
    const at = pair.indexOf("=")
    return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()]
  })
  return new Map(pairs.filter(([name]) => name !== ""))
}
