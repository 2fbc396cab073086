import { type LoopbackBrowser, openLoopback } from "@latchkey/client/loopback"
import { createNativeClient, NativeSignInError, type Session } from "@latchkey/client/native"
import type { Ipc, View } from "./ipc.ts"
import { openTokenFile, type SafeStorage } from "./token-file.ts"

export interface AccountOptions {
  readonly issuer: string
  /** `shell.openExternal` of Electron. */
  readonly openBrowser: (url: string) => Promise<void>
  /** `safeStorage` of Electron. */
  readonly safeStorage: SafeStorage
  /** The file that keeps the encrypted token. */
  readonly tokenFile: string
}

/** The sign-in of the app, in the main process. What it returns goes to the window, and never holds the token. */
export function openAccount({ issuer, openBrowser, safeStorage, tokenFile }: AccountOptions): Ipc {
  const storage = openTokenFile(tokenFile, safeStorage)
  const client = createNativeClient({ issuer, clientId: "demo-desktop", storage })
  let browser: LoopbackBrowser | undefined

  async function view(read: () => Promise<Session | null>): Promise<View> {
    try {
      const session = await read()
      const user = session?.user
      if (!user) return { user: null }
      return { user: { name: user.name ?? user.email ?? "unknown user" }, devices: await readDevices() }
    } catch (error) {
      return { user: null, message: explain(error) }
    }
  }

  /** Calls an API of the server with the token. An API of your own works alike. */
  async function readDevices(): Promise<readonly string[]> {
    const response = await client.fetch("/auth/account/sessions")
    if (!response.ok) throw new Error(`The server answered ${response.status}`)
    const { sessions } = (await response.json()) as { readonly sessions: readonly Device[] }
    return sessions.map(describe)
  }

  return {
    show: () => view(client.getSession),
    signIn: () =>
      view(async () => {
        // Users who have closed the page of the browser click again, which ends the former sign-in.
        browser?.close()
        browser = await openLoopback({ openBrowser })
        return client.signIn(browser)
      }),
    signOut: () =>
      view(async () => {
        await client.signOut()
        return null
      }),
  }
}

interface Device {
  readonly label: string | null
  readonly device: string | null
  readonly isCurrent: boolean
}

function describe({ label, device, isCurrent }: Device): string {
  const name = label ?? device ?? "Unknown device"
  return isCurrent ? `${name}, this app` : name
}

/** Users who closed the page, or declined, know why they are not signed in. */
function explain(error: unknown): string {
  const code = error instanceof NativeSignInError ? error.code : undefined
  if (code === "closed" || code === "denied") return ""
  return code === "unavailable" ? "The server cannot be reached. Try again." : "The sign-in failed. Try again."
}
