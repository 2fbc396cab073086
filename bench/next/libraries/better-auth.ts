import { type NextRequest, NextResponse } from "next/server"
import { createServedAuth } from "../../speed/targets/better-auth.ts"

const served = createServedAuth()

/** What its `toNextJsHandler` does. */
async function answer(request: Request): Promise<Response> {
  return (await served).handler(request)
}

export { answer as GET, answer as POST }

/** As its documentation guards pages on Next's Node runtime. */
export async function proxy(request: NextRequest): Promise<Response> {
  const session = await (await served).api.getSession({ headers: request.headers })
  if (session || request.nextUrl.pathname !== "/private") return NextResponse.next()
  return NextResponse.redirect(new URL("/login", request.url))
}
