import { type SealedCookie, sealedCookie } from "../checks/sealed-cookie.js"
import { isEqualInConstantTime } from "../crypto/hash.js"
import { randomId } from "../crypto/random.js"
import { maxCookieLength, ownCookies } from "../http/own-cookies.js"
import { type AuthRequest, findField } from "../http/request.js"
import { type Reply, redirect, withQuery } from "../http/response.js"
import { isRecord, parseJson } from "../runtime/json.js"
import type { ResponseCookie } from "../types/http.js"
import type { ActionContext } from "./feature.js"

// Every form leads to a page with an address of its own, which can be loaded again: phones do that by themselves with tabs that
// they discarded. What that page says about the form, and what was typed, is in a sealed cookie for ten minutes. The address has
// an id alone, so that the page without it is a new one.

/** What is wrong with a form, as its page says it. */
export interface FormFault {
  /** Names the sentence. */
  readonly word: string
  /** The name of the field that is wrong, if there is only one. */
  readonly field?: string | undefined
  /** A sentence of the app, in place of ours. */
  readonly text?: string | undefined
}

/** What a page says about the form that led to it. */
export interface FormResult {
  readonly fault?: FormFault
  /** What was typed, by field: neither passwords, nor what the page does not show again. */
  readonly typed?: Readonly<Record<string, string>>
  /** What a page without a form says. */
  readonly facts?: Readonly<Record<string, string>>
}

/** Where a form leads. */
interface ResultPage {
  /** Of this service. */
  readonly url: string
  /** Whose page it is: a user with a session. Default: that of anyone with this browser. */
  readonly owner?: string | undefined
  /** Of the reply so far. */
  readonly cookies?: readonly ResponseCookie[]
}

/** The parameters with the id: of a form that was refused, and of one that has done its work. */
const parameters = { refused: "refused", done: "after" } as const

type Claims = { readonly [Name in "id" | "page" | "owner" | "token" | "json"]: string }

type ResultContext = Pick<ActionContext, "cookieRules" | "secrets" | "csrf">

const openCookie = ({ cookieRules, secrets }: Omit<ResultContext, "csrf">): SealedCookie<Claims> =>
  sealedCookie<Claims>(ownCookies.formResult, { ...cookieRules, secrets })

/** Leads from a form to the page that says what came of it. */
export async function toResultPage(
  result: FormResult,
  { url, owner = "", cookies = [] }: ResultPage,
  { cookies: jar }: Pick<AuthRequest, "cookies">,
  context: ResultContext,
): Promise<Reply> {
  const id = randomId(12)
  // Without https, a neighboring site could plant a value that was sealed in its own browser, but not in the name of this one.
  const { token = "", cookies: issued } = await context.csrf.issue(jar)
  const claims = { id, page: new URL(url).pathname, owner, token }
  const kept = await write(result, claims, context)
  const parameter = result.fault ? parameters.refused : parameters.done
  return redirect(withQuery(url, { [parameter]: id }), { cookies: [...cookies, ...issued, kept] })
}

const maxLength = maxCookieLength

/** What is too long is typed again. */
async function write(
  { fault, typed = {}, facts }: FormResult,
  claims: Omit<Claims, "json">,
  context: ResultContext,
): Promise<ResponseCookie> {
  const values = Object.entries(typed).sort(([, one], [, other]) => one.length - other.length)
  for (;;) {
    const text = values.length === 0 ? fault?.text?.slice(0, maxTextLength) : fault?.text
    const result = { ...(fault && { fault: { ...fault, text } }), typed: Object.fromEntries(values), facts }
    const cookie = await openCookie(context).write({ ...claims, json: JSON.stringify(result) })
    if (cookie.name.length + cookie.value.length <= maxLength || values.pop() === undefined) return cookie
  }
}

/** Characters of a sentence of the app that is too long. Each has at most four bytes, and grows by a third. */
const maxTextLength = 250

/**
 * What the form says that led to this page. Null for a page that was opened in another way, and after ten minutes.
 * @param owner As in {@link ResultPage}.
 */
export async function findFormResult(
  { cookies: jar, url }: Pick<AuthRequest, "cookies" | "url">,
  context: ResultContext,
  owner = "",
): Promise<FormResult | null> {
  const id = url.searchParams.get(parameters.refused) ?? url.searchParams.get(parameters.done)
  if (id === null) return null
  const { token = "" } = await context.csrf.issue(jar)
  const kept = await openCookie(context).read(jar)
  const found = kept.find(
    ({ id: of, page, owner: whose, token: key = "" }) =>
      of === id && page === url.pathname && whose === owner && isEqualInConstantTime(String(key), token),
  )
  const result = parseJson(typeof found?.json === "string" ? found.json : "")
  return isRecord(result) ? (result as FormResult) : null // as: only `write` seals for this purpose.
}

/** The request for a page, with what was typed into the form that led to it. */
export function withTyped<Request extends AuthRequest>(request: Request, result: FormResult | null): Request {
  return result?.typed ? { ...request, body: result.typed } : request
}

/** The fields of a form that its page shows again. */
export function readTyped(request: AuthRequest, names: readonly string[]): Readonly<Record<string, string>> {
  const typed = names.map((name) => [name, findField(request, name) ?? ""] as const)
  return Object.fromEntries(typed.filter(([, value]) => value !== ""))
}

/** The cookies that forget the form: its page is not shown to the next user of a shared browser. */
export function forgetFormResult(
  { cookies }: Pick<AuthRequest, "cookies">,
  context: Omit<ResultContext, "csrf">,
): readonly ResponseCookie[] {
  return openCookie(context).clear(cookies)
}

/** The address of the page that a form was sent from, without what an earlier form led to. */
export function toOwnPage({ url, route }: AuthRequest, { actionUrl }: Pick<ActionContext, "actionUrl">): string {
  const query = new URLSearchParams(url.search)
  for (const parameter of Object.values(parameters)) query.delete(parameter)
  return withQuery(actionUrl({ url }, route), Object.fromEntries(query))
}
