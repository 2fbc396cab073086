import { generateKeyPairSync, type JsonWebKey, randomBytes } from "node:crypto"
import type { DataFolder } from "./data-folder.js"

export interface DemoPorts {
  readonly app: number
  readonly identityProvider: number
  readonly smtp: number
}

export interface DemoOptions {
  /** Absolute path; created if missing. */
  readonly dataFolder: string
  /** Ports to try first; 0 takes any free port. Default: the ports of the first start, or 3000, 3001 and 2525. */
  readonly ports: Partial<DemoPorts>
  /** A PostgreSQL or Redis database for the app's records, as a URL. Default: a SQLite file in the data folder. */
  readonly database?: string | undefined
}

const portNames = ["app", "identityProvider", "smtp"] as const
const defaultPorts: DemoPorts = { app: 3000, identityProvider: 3001, smtp: 2525 }
const portVariables: Readonly<Record<keyof DemoPorts, string>> = {
  app: "PORT",
  identityProvider: "LATCHKEY_DEMO_IDP_PORT",
  smtp: "LATCHKEY_DEMO_SMTP_PORT",
}

/**
 * Reads the environment variables `LATCHKEY_DEMO_DATA`, `LATCHKEY_DEMO_DATABASE`, `PORT`, `LATCHKEY_DEMO_IDP_PORT` and
 * `LATCHKEY_DEMO_SMTP_PORT`.
 * @throws when a port is not a whole number from 0 to 65535
 */
export function readDemoOptions(env: NodeJS.ProcessEnv, defaultDataFolder: string): DemoOptions {
  const ports: Partial<Record<keyof DemoPorts, number>> = {}
  for (const name of portNames) {
    const text = env[portVariables[name]]
    if (text) ports[name] = parsePort(text, portVariables[name])
  }
  const database = env["LATCHKEY_DEMO_DATABASE"] || undefined
  return { dataFolder: env["LATCHKEY_DEMO_DATA"] || defaultDataFolder, ports, database }
}

function parsePort(text: string, variable: string): number {
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new Error(`${variable} must be a port number from 0 to 65535.`)
  return port
}

const portsFile = "ports.json"

/**
 * The ports to try first: from the options, else from the first start in this folder, else the defaults. Bookmarks, and
 * links in mails that wait in the inbox, contain the ports of the first start.
 */
export async function resolvePorts(folder: DataFolder, wanted: Partial<DemoPorts>): Promise<DemoPorts> {
  const ports: Partial<Record<keyof DemoPorts, number>> = {}
  const stored = await folder.readJson(portsFile)
  const fields: Partial<Record<string, unknown>> = typeof stored === "object" ? { ...stored } : {}
  for (const name of portNames) {
    const port = fields[name]
    if (typeof port === "number" && Number.isInteger(port) && port > 0 && port <= 65_535) ports[name] = port
  }
  return { ...defaultPorts, ...ports, ...wanted }
}

/** Saves the ports of the first start. Later starts do not change them: a port in use is replaced for that run only. */
export async function savePorts(folder: DataFolder, ports: DemoPorts): Promise<void> {
  await folder.createJson(portsFile, ports)
}

/** Secrets of this installation, created on the first start. */
export interface DemoSecrets {
  /** Encrypts and signs the app's cookies. */
  readonly app: string
  /** Shared by the app and the identity provider. */
  readonly client: string
  /** Signs the identity provider's cookies. */
  readonly cookies: string
  /** The identity provider's private RSA key for ID tokens. */
  readonly signingKey: JsonWebKey
}

const secretsFile = "secrets.json"

/**
 * Loads the secrets, or creates them on the first start.
 * @throws when the file is damaged; the message says how to fix it
 */
export async function loadSecrets(folder: DataFolder): Promise<DemoSecrets> {
  const stored = await folder.readJson(secretsFile)
  if (stored !== null) return parseSecrets(stored, folder.file(secretsFile))
  const created = createSecrets()
  if (await folder.createJson(secretsFile, created)) return created
  // Another demo started on the same folder at the same time and wrote its secrets first.
  return parseSecrets(await folder.readJson(secretsFile), folder.file(secretsFile))
}

function createSecrets(): DemoSecrets {
  const random = (): string => randomBytes(32).toString("base64url")
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
  const key = privateKey.export({ format: "jwk" })
  return {
    app: random(),
    client: random(),
    cookies: random(),
    signingKey: { ...key, kid: randomBytes(8).toString("hex"), use: "sig", alg: "RS256" },
  }
}

function parseSecrets(stored: unknown, path: string): DemoSecrets {
  if (isSecrets(stored)) return stored
  throw new Error(`${path} is damaged. Delete it to create new secrets; this signs all users out.`)
}

function isSecrets(value: unknown): value is DemoSecrets {
  if (typeof value !== "object" || value === null) return false
  const fields: Partial<Record<string, unknown>> = { ...value }
  const texts = [fields["app"], fields["client"], fields["cookies"]]
  const key = fields["signingKey"]
  return texts.every((text) => typeof text === "string" && text.length >= 32) && typeof key === "object" && key !== null
}
