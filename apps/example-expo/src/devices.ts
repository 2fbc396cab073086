import { client } from "./auth"

export interface Device {
  readonly id: string
  readonly label: string | null
  readonly device: string | null
  readonly isCurrent: boolean
}

/** Calls an API of the server with the token: where the user is signed in. An API of your own works alike. */
export async function readDevices(): Promise<readonly Device[]> {
  const response = await client.fetch("/auth/account/sessions")
  if (!response.ok) throw new Error(`The server answered ${response.status}`)
  const { sessions } = (await response.json()) as { readonly sessions: readonly Device[] }
  return sessions
}
