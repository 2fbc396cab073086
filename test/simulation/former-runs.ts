import { Auth, customFetch } from "@latchkey/core"
import { encode } from "@latchkey/core/jwt"
import type { AuthConfig } from "@latchkey/core/types"
import { createAuthClient } from "../../packages/testkit/src/browser/auth-client.js"
import { createCookieJar } from "../../packages/testkit/src/browser/cookie-jar.js"
import { createTab } from "../../packages/testkit/src/browser/tab.js"
import { createRandom, mixSeeds, type Random } from "./random.js"

/** Where the random values and the time of all code come from. */
export interface Chance {
  random: Random
  draws: number
  /** How far the time is ahead of that of the world. */
  aheadMs: number
}

/** What another run left in the memory of the process must not reach this one. */
export async function forgetFormerRuns(chance: Chance, seed: number): Promise<void> {
  const { random } = chance
  chance.random = createRandom(mixSeeds(seed, 5))
  await forgetCompletedFlows(chance)
  await drainRandomPool(chance, seed)
  chance.random = random
}

/** The service draws random bytes in advance. */
async function drainRandomPool(chance: Chance, seed: number): Promise<void> {
  for (let tries = 0; tries < 400; tries++) {
    // The same bytes, however often something was drawn before.
    chance.random = createRandom(mixSeeds(seed, 4))
    const before = chance.draws
    await encode({ secret: "drains the pool of random bytes", salt: "drain", token: {} })
    // Each token draws an identifier; a second draw has filled the pool.
    if (chance.draws > before + 1) break
  }
}

const yearMs = 365 * 24 * 60 * 60_000
/** Longer than a flow is remembered. */
const flowMs = 20 * 60_000
let completed = 0

/**
 * Without `consumeOnce` a process remembers completed flows itself until their time is over, and forgets them when it
 * has completed two others, each as much later. A second run of a seed has the same flows.
 */
async function forgetCompletedFlows(chance: Chance): Promise<void> {
  const app = new URL("https://before.test")
  const provider = new URL("https://provider.before.test")
  const tab = createTab({
    app,
    jar: createCookieJar(),
    network: {
      [app.origin]: (request) => Auth(request, createConfig(provider)),
      [provider.origin]: ({ url }) => Response.redirect(comeBack(new URL(url))),
    },
  })
  for (const end = completed + 2; completed < end; ) {
    completed += 1
    // After every world, and after the flow before.
    chance.aheadMs = 20 * yearMs + completed * flowMs
    await createAuthClient(tab, { app, basePath: "/auth" }).signIn("before")
  }
  chance.aheadMs = 0
}

function comeBack({ searchParams }: URL): string {
  const query = new URLSearchParams({ code: "none", state: searchParams.get("state") ?? "" })
  return `${searchParams.get("redirect_uri")}?${query}`
}

const silent = { error: () => {}, warn: () => {}, debug: () => {} }

/** The provider refuses the code, when the flow counts as completed. */
function createConfig({ origin }: URL): Omit<AuthConfig, "raw"> {
  return {
    basePath: "/auth",
    secret: "a secret of no run, long enough for the service",
    trustHost: true,
    rateLimit: false,
    logger: silent,
    providers: [
      {
        id: "before",
        name: "Before",
        type: "oauth",
        authorization: `${origin}/authorize`,
        token: `${origin}/token`,
        userinfo: `${origin}/user`,
        clientId: "before",
        clientSecret: "before",
        checks: ["state"],
        [customFetch]: async () => Response.json({ error: "invalid_grant" }, { status: 400 }),
      },
    ],
  }
}
