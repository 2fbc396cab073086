import type { DataFolder } from "./data-folder.js"
import type { DemoPorts } from "./demo-options.js"

const fileName = "ports.json"
const names = ["app", "identityProvider", "smtp"] as const

/** Where everything runs when nothing else was said and nothing else runs there. */
const usualPorts: DemoPorts = { app: 3000, identityProvider: 3001, smtp: 2525 }

/**
 * The ports to try: those asked for, else those of the first start in this folder, else the usual ones. Addresses that
 * people bookmarked, and mails that wait in the inbox, name the ports of the first start.
 */
export async function resolvePorts(folder: DataFolder, asked: Partial<DemoPorts>): Promise<DemoPorts> {
  const ports: Partial<Record<keyof DemoPorts, number>> = {}
  const stored = await folder.readJson(fileName)
  const fields: Partial<Record<string, unknown>> = typeof stored === "object" ? { ...stored } : {}
  for (const name of names) {
    const port = fields[name]
    if (typeof port === "number" && Number.isInteger(port) && port > 0 && port <= 65_535) ports[name] = port
  }
  return { ...usualPorts, ...ports, ...asked }
}

/**
 * Keeps the ports of a first start. Later starts change nothing: one that had to step aside does so for that time only.
 */
export async function rememberPorts(folder: DataFolder, ports: DemoPorts): Promise<void> {
  await folder.createJson(fileName, ports)
}
