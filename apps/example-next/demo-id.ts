import { getAccessToken } from "./auth"

/** Calls an API of Demo ID for the signed-in user. */
export async function callDemoId(url: string): Promise<Response> {
  const { accessToken } = await getAccessToken({ provider: "demo" })
  return fetch(url, { headers: { authorization: `Bearer ${accessToken}` } })
}
