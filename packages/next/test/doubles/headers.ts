import type { CookieStore } from "next/headers.js"
import { currentScope } from "./request-scope.js"

export async function cookies(): Promise<CookieStore> {
  return currentScope()
}

export async function headers(): Promise<Headers> {
  return currentScope().headers
}
