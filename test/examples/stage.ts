import type { BrowserContext, BrowserContextOptions } from "playwright-core"
import { launchChromium } from "../../apps/demo/test/chromium.js"
import { findFreePort } from "../../packages/testkit/src/servers/index.js"
import type { Example } from "./example.js"
import { type RunningApp, runScript, startApp } from "./running-app.js"
import { openStandIns, type StandIns } from "./stand-ins.js"
import { type Certificate, createCertificate, hashPublicKey } from "./tls-proxy.js"

/** The address of a running example. */
export interface Place {
  readonly origin: string
  readonly standIns: StandIns
  /** A new browser. */
  visitor(options?: BrowserContextOptions): Promise<BrowserContext>
}

/** A running example with its services and a browser. */
export interface Stage extends Place {
  /** A certificate that the browsers trust. */
  readonly certificate: Certificate
  /** Restarts the app with other environment variables; undefined removes one. */
  restart(env?: Readonly<Record<string, string | undefined>>): Promise<void>
  /** Restarts the app, which allows one network 60 sign-ins a minute and counts them in memory. */
  forgetVisitors(): Promise<void>
  /** The output of the app since its start. */
  output(): string
  close(): Promise<void>
}

/** Builds, checks and starts the example. */
export async function openStage(example: Example): Promise<Stage> {
  const port = String(await findFreePort())
  const origin = `http://127.0.0.1:${port}`
  const standIns = await openStandIns(`${origin}${example.basePath}/callback/demo`)
  const env = { ...standIns.env, PORT: port, HOST: "127.0.0.1", NODE_ENV: "production", AUTH_URL: origin }
  const certificate = await createCertificate()
  const browser = await launchChromium(hashPublicKey(certificate))
  let app: RunningApp | undefined
  const close = async (): Promise<void> => {
    await app?.stop()
    await browser.close()
    await standIns.close()
  }
  const restart = async (changes: Readonly<Record<string, string | undefined>> = {}): Promise<void> => {
    await app?.stop()
    app = await startApp(example, origin, { ...env, ...changes })
  }
  try {
    for (const script of ["build", "check"]) if (example.scripts.includes(script)) await runScript(example, script, env)
    await restart()
  } catch (error) {
    await close()
    throw error
  }
  return {
    origin,
    standIns,
    certificate,
    visitor: (options) => browser.newContext(options),
    restart,
    forgetVisitors: () => restart(),
    output: () => app?.output() ?? "",
    close,
  }
}
