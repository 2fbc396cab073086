import { getAccessToken } from "@latchkey/express"
import type { Request } from "express"
import { authConfig } from "./auth.ts"

/** Calls an API of Demo ID for the user who is signed in to a request. */
export async function callDemoId(request: Request, url: string): Promise<Response> {
  const { accessToken } = await getAccessToken(request, authConfig, { provider: "demo" })
  return fetch(url, { headers: { authorization: `Bearer ${accessToken}` } })
}
