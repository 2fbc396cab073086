import { serializeCookie } from "@latchkey/core/integration"
import type { ResponseCookie } from "@latchkey/core/types"
import { cookies, headers } from "next/headers.js"

/** What Next knows of the request that it renders or acts for. */
export interface Visitor {
  /** The same object as long as the request lasts. */
  readonly request: object
  /** With the cookies as they are now: an action may have set some since the request came. */
  readonly headers: Headers
}

/** The visitor for whom a server component, an action or a route handler runs. What Next throws here is Next's. */
export async function readVisitor(): Promise<Visitor> {
  const [sent, jar] = await Promise.all([headers(), cookies()])
  const copy = new Headers()
  sent.forEach((value, name) => {
    copy.append(name, value)
  })
  copy.set("cookie", jar.getAll().map(toPair).join("; "))
  return { request: sent, headers: copy }
}

/** Sets cookies on the answer of an action or a route handler. Next throws where there is no such answer. */
export async function setCookies(answered: readonly ResponseCookie[]): Promise<void> {
  if (answered.length === 0) return
  const jar = await cookies()
  for (const { name, value, options } of answered) jar.set(name, value, options)
}

function toPair({ name, value }: { readonly name: string; readonly value: string }): string {
  return serializeCookie({ name, value, options: {} })
}
