import type { UserAuth } from "@latchkey/express"

/** Calls an API of Demo ID for the user who is signed in to a request. */
export async function callDemoId(auth: Pick<UserAuth, "getAccessToken">, url: string): Promise<Response> {
  const { accessToken } = await auth.getAccessToken({ provider: "demo" })
  return fetch(url, { headers: { authorization: `Bearer ${accessToken}` } })
}
