import { Auth } from "@latchkey/core"
import { signOutEverywhere } from "@latchkey/core/sessions"
import type { AuthConfig } from "@latchkey/core/types"
import { createConfig } from "./host.js"
import type { Surroundings } from "./surroundings.js"

/** One process that runs the service. */
export interface Instance {
  readonly index: number
  /** How far its clock is off. */
  driftMs: number
  /** @param address Where the request comes from. */
  answer(request: Request, address: string): Promise<Response>
  /**
   * The process dies: what it had in memory is gone, and what it was about to do never happens. Another takes its place.
   */
  kill(): void
  /** Calls back when the process dies. */
  whenKilled(callback: () => void): void
}

/** Where the host signs a user out everywhere, as for someone who calls its support. */
export const supportPath = "/app/sign-out-everywhere"

export function createInstance(index: number, around: Surroundings): Instance {
  const { random, scheduler, setting } = around
  let config: Omit<AuthConfig, "raw"> = createConfig(index, around)
  const inFlight: (() => void)[] = []
  return {
    index,
    driftMs: random.int(8001) - 4000,
    async answer(request, address) {
      const url = new URL(request.url)
      if (url.pathname !== supportPath) {
        return Auth(request, config, setting.isNetworkKnown ? { clientAddress: address } : {})
      }
      await signOutEverywhere(config, url.searchParams.get("user") ?? "").catch(() => 0)
      return new Response(null, { status: 204 })
    },
    whenKilled: (callback) => void inFlight.push(callback),
    kill() {
      scheduler.stopInstance(index)
      config = createConfig(index, around)
      for (const fail of inFlight.splice(0)) fail()
    },
  }
}
