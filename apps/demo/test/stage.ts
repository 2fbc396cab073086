import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Browser, BrowserContext, BrowserContextOptions } from "playwright-core"
import { type RunningDemo, startDemo } from "../src/start-demo.js"
import { launchChromium } from "./chromium.js"

/** Several pages in a real browser, on machines that have other work too. */
export const browserTestOptions = { timeout: 60_000 }

/** A demo of its own in a folder of its own, and a browser. */
export interface Stage {
  /** The demo that runs now. */
  demo(): RunningDemo
  dataFile(name: string): string
  /** Stops the demo and starts it again in the same folder, on the same ports. */
  restart(): Promise<void>
  /** A browser without any history. */
  visitor(options?: BrowserContextOptions): Promise<BrowserContext>
  close(): Promise<void>
}

const anyPorts = { app: 0, identityProvider: 0, smtp: 0 }

export async function openStage(): Promise<Stage> {
  const dataFolder = await mkdtemp(join(tmpdir(), "latchkey-demo-"))
  let demo = await startDemo({ dataFolder, ports: anyPorts })
  const browser: Browser = await launchChromium()
  return {
    demo: () => demo,
    dataFile: (name) => join(dataFolder, name),
    restart: async () => {
      await demo.close()
      demo = await startDemo({ dataFolder, ports: {} })
    },
    visitor: (options) => browser.newContext(options),
    close: async () => {
      await browser.close()
      await demo.close()
      await rm(dataFolder, { recursive: true })
    },
  }
}
