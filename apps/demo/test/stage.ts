import { mkdtemp, rm } from "node:fs/promises"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ExpressAuth, type ExpressAuthConfig } from "@latchkey/express"
import express from "express"
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest"
import { type RunningDemo, startDemo } from "../src/start-demo.js"
import { launchChromium } from "./chromium.js"

/** Enough for several pages in a real browser on a busy machine. */
export const browserTestOptions = { timeout: 180_000 }

/** A demo in a temporary folder, and a browser. */
export interface Stage {
  /** The running demo; a new one after a restart. */
  demo(): RunningDemo
  dataFile(name: string): string
  /** Stops the demo and starts it again in the same folder, on the same ports. */
  restart(): Promise<void>
  /** A new browser profile. */
  newContext(options?: BrowserContextOptions): Promise<BrowserContext>
  close(): Promise<void>
}

/** Opens a stage over the store of a suite, in the browser of {@link useBrowser}. */
export type OpenStage = (browser: Browser) => Promise<Stage>

const anyPorts = { app: 0, identityProvider: 0, smtp: 0 }

/** What a stage has in common with others. */
interface StageOptions {
  /** The URL of an empty database. Default: a SQLite file in the temporary folder. */
  readonly database?: string
  /** Stays open when the stage closes its profiles. Default: one that the stage closes too. */
  readonly browser?: Browser
}

export async function openStage({ browser: shared, ...store }: StageOptions = {}): Promise<Stage> {
  const dataFolder = await mkdtemp(join(tmpdir(), "latchkey-demo-"))
  let demo = await startDemo({ dataFolder, ports: anyPorts, ...store })
  const browser = shared ?? (await launchChromium())
  const contexts: BrowserContext[] = []
  return {
    demo: () => demo,
    dataFile: (name) => join(dataFolder, name),
    restart: async () => {
      await demo.close()
      demo = await startDemo({ dataFolder, ports: {}, ...store })
    },
    newContext: async (options) => {
      const context = await browser.newContext(options)
      contexts.push(context)
      return context
    },
    close: async () => {
      if (shared) await Promise.all(contexts.map((context) => context.close()))
      else await browser.close()
      await demo.close()
      await rm(dataFolder, { recursive: true })
    },
  }
}

/**
 * Launches one browser for all stages of the current group: a launch, and the first page of a new browser, take as long as
 * half a sign-in. Every visitor still has a profile of their own.
 */
export function useBrowser(): () => Browser {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium()
  }, browserTestOptions.timeout)
  afterAll(() => browser.close())
  return () => browser
}

/** Opens a stage before the first test of the current group, for all of them. */
export function useStage(): () => Stage {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  }, browserTestOptions.timeout)
  afterAll(() => stage.close())
  return () => stage
}

/** An app with nothing but the built-in pages, and a browser. */
export interface Site {
  readonly browser: Browser
  readonly origin: string
}

/** Opens a site before the first test of the current group, for all of them. */
export function useSite(configure: () => ExpressAuthConfig | Promise<ExpressAuthConfig>): () => Site {
  let server: Server
  let site: Site
  beforeAll(async () => {
    server = createServer(express().use("/auth", ExpressAuth(await configure())))
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    // as: it listens on a port.
    const origin = `http://localhost:${(server.address() as AddressInfo).port}`
    site = { browser: await launchChromium(), origin }
  }, browserTestOptions.timeout)
  afterAll(async () => {
    await site.browser.close()
    server.close()
  })
  return () => site
}

/** A new browser profile with one page, on a stage that the tests of a group share. */
export interface Visit {
  readonly stage: Stage
  readonly context: BrowserContext
  readonly page: Page
}

/** Opens a stage before the first test of the current group, and calls `begin` with a visit before each test. */
export function useVisits(openStage: () => Promise<Stage>, begin: (visit: Visit) => unknown): void {
  let stage: Stage
  let context: BrowserContext
  beforeAll(async () => {
    stage = await openStage()
  }, browserTestOptions.timeout)
  afterAll(() => stage.close())
  beforeEach(async () => {
    context = await stage.newContext()
    await begin({ stage, context, page: await context.newPage() })
  })
  afterEach(() => context.close())
}

/** A virtual authenticator of Chromium for one page. */
export interface VirtualDevice {
  /** The signature counter of each passkey. */
  counters(): Promise<readonly number[]>
  /** Whether user verification, such as a fingerprint, succeeds. */
  setUserVerified(isUserVerified: boolean): Promise<void>
  /** Whether new requests are answered, including autofill. A pending request keeps waiting. */
  setResponsive(isResponsive: boolean): Promise<void>
}

/** Call before the page is loaded. The device exists until the page is closed. */
export async function addVirtualDevice(page: Page): Promise<VirtualDevice> {
  const session = await page.context().newCDPSession(page)
  await session.send("WebAuthn.enable", { enableUI: false })
  const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      ctap2Version: "ctap2_1",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return {
    counters: async () => {
      const { credentials } = await session.send("WebAuthn.getCredentials", { authenticatorId })
      return credentials.map(({ signCount }) => signCount)
    },
    setUserVerified: async (isUserVerified) => {
      await session.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified })
    },
    setResponsive: async (enabled) => {
      await session.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled })
    },
  }
}
