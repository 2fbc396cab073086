export interface DemoPorts {
  readonly app: number
  readonly identityProvider: number
  readonly smtp: number
}

/** What a start of the demo may be told. */
export interface DemoOptions {
  /** Absolute path; made when it is not there. */
  readonly dataFolder: string
  /**
   * Ports to try first; 0 takes any free one. A port that is not named here is the one of the last start, else the
   * usual one.
   */
  readonly ports: Partial<DemoPorts>
}

const variables: Readonly<Record<keyof DemoPorts, string>> = {
  app: "PORT",
  identityProvider: "LATCHKEY_DEMO_IDP_PORT",
  smtp: "LATCHKEY_DEMO_SMTP_PORT",
}

/**
 * Options of the demo from environment variables: `LATCHKEY_DEMO_DATA`, `PORT`, `LATCHKEY_DEMO_IDP_PORT`,
 * `LATCHKEY_DEMO_SMTP_PORT`.
 * @throws when a port is not a whole number from 0 to 65535.
 */
export function readDemoOptions(env: NodeJS.ProcessEnv, usualDataFolder: string): DemoOptions {
  const ports: Partial<Record<keyof DemoPorts, number>> = {}
  for (const name of ["app", "identityProvider", "smtp"] as const) {
    const text = env[variables[name]]
    if (text) ports[name] = parsePort(text, variables[name])
  }
  return { dataFolder: env["LATCHKEY_DEMO_DATA"] || usualDataFolder, ports }
}

function parsePort(text: string, variable: string): number {
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new Error(`${variable} must be a port number from 0 to 65535.`)
  return port
}
