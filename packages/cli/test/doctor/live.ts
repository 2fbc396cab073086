import type { ExaminedConfig } from "@latchkey/core/diagnosis"
import type { LiveConfiguration } from "../../src/doctor/live-configuration.js"

interface Given {
  readonly adapter?: object
  readonly providers?: ExaminedConfig["providers"]
  readonly mailers?: ExaminedConfig["mailers"]
  readonly variables?: Readonly<Record<string, string>>
  readonly sendMail?: string
  readonly dnsServer?: string
}

/** A loaded configuration with these parts. */
export function liveOf({
  adapter,
  providers = [],
  mailers = [],
  variables = {},
  sendMail,
  dnsServer,
}: Given): LiveConfiguration {
  return {
    environment: { variables, places: {}, files: [] },
    sendMail: sendMail ?? null,
    dnsServer: dnsServer ?? null,
    shownFile: "auth.ts",
    examined: [],
    config: {
      providers,
      mailers,
      adapter,
      secrets: [],
      basePath: "/auth",
      rateLimit: undefined,
      trustHost: false,
      hasAddress: true,
      needsFactor: false,
    },
    base: new URL("https://app.harbour.dev/auth"),
    text: "adapter: store,\nproviders: []",
  }
}
