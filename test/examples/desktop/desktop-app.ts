import { fork } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type { BrowserContext, Page } from "playwright-core"

export interface DesktopOptions {
  /** The folder of the example. */
  readonly folder: string
  readonly issuer: string
  readonly tokenFile: string
  /** The key of the keychain, 32 bytes in hexadecimal. */
  readonly key: string
  /** Where the window opens. */
  readonly desktop: BrowserContext
  readonly openBrowser: (url: string) => unknown
}

/** A running app: its main process is a process of Node, and its window a page of Chromium. */
export interface DesktopApp {
  readonly window: Page
  quit(): Promise<void>
}

type Message =
  | { readonly opened: string }
  | { readonly id: number; readonly view: unknown }
  | { readonly isReady: true }

export async function startDesktopApp(options: DesktopOptions): Promise<DesktopApp> {
  const { folder, issuer, tokenFile, key, desktop, openBrowser } = options
  const module = pathToFileURL(join(folder, "dist", "account.js")).href
  // Without the options of the test's process, which let imports of our packages lead to their sources.
  const main = fork(join(import.meta.dirname, "main-process.ts"), [module, issuer, tokenFile, key], { execArgv: [] })
  const ended = once(main, "close")
  const waiting = new Map<number, (view: unknown) => void>()
  const ready = once(main, "message")
  main.on("message", (message: Message) => {
    if ("opened" in message) openBrowser(message.opened)
    else if ("id" in message) waiting.get(message.id)?.(message.view)
  })
  await Promise.race([ready, ended.then(() => Promise.reject(new Error("The main process has ended")))])
  const ask = (name: string) =>
    new Promise((resolve) => {
      waiting.set(waiting.size, resolve)
      main.send({ id: waiting.size - 1, name })
    })
  const window = await desktop.newPage()
  await window.exposeFunction("askMain", ask)
  // What the preload script does.
  await window.addInitScript(
    "account = { show: () => askMain('show'), signIn: () => askMain('signIn'), signOut: () => askMain('signOut') }",
  )
  await window.goto(pathToFileURL(join(folder, "window", "index.html")).href)
  return {
    window,
    quit: async () => {
      await window.close()
      main.kill()
      await ended
    },
  }
}
