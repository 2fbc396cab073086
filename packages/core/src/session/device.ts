import { AuthError, toError } from "../errors/auth-error.js"
import { threwIn } from "../errors/failure-reason.js"
import { createFindClient } from "../host/client-address.js"
import { cleanError } from "../host/redact.js"
import type { IpAddress } from "../http/ip-address.js"
import { toBodilessRequest } from "../http/request.js"
import type { Log } from "../log/log.js"
import { hostDeadlineMs, withDeadline } from "../runtime/promise.js"
import type { AdapterSessionDetail } from "../types/adapter-features.js"
import type { ResolvedConfig } from "../types/resolved.js"
import type { SessionRequest } from "./session.js"
import type { DeviceCallback } from "./tracking.js"

/** What a record keeps about a device. */
export type Device = Pick<AdapterSessionDetail, "userAgent" | "network" | "label">

export const unknownDevice: Device = { userAgent: null, network: null, label: null }

/** Describes the device that sent a request: as the app's own function does, else by its user agent and its network. */
export function createDescribeDevice(
  device: DeviceCallback | undefined,
  config: ResolvedConfig,
  log: Log,
): (request: SessionRequest, name?: string) => Promise<Device> {
  const findClient = createFindClient(config, log)

  async function describe({ headers, url, context = {} }: SessionRequest): Promise<Device> {
    if (!headers || !url) return unknownDevice
    const request = { headers, url, context, method: "GET" } as const
    if (!device) {
      const { address } = findClient(request)
      return { ...unknownDevice, userAgent: headers.get("user-agent"), network: address && toText(address) }
    }
    const describing = Promise.resolve(device(toBodilessRequest(request)))
    const late = () => new Error(`The function took longer than ${hostDeadlineMs} ms`)
    const {
      userAgent = null,
      network = null,
      label = null,
    } = (await withDeadline(describing, hostDeadlineMs, late)) ?? {}
    return { userAgent, network, label }
  }

  return async (request, name) => {
    try {
      const { userAgent, network, label } = await describe(request)
      return { userAgent: clean(userAgent, 256), network: clean(network, 64), label: clean(label ?? name, 64) }
    } catch (error) {
      // Sign-ins must not depend on what is shown about the device.
      const err = cleanError(toError(error), [request.url, request.headers])
      log.error(new AuthError("session.track: device failed", threwIn("session.track.device", err)), request)
      return unknownDevice
    }
  }
}

/**
 * The /24 or /48 that contains an address: too wide to tell a household from its neighbors, and narrow enough to tell it
 * from a foreign network. Null for the machine itself (RFC 1122 section 3.2.1.3, RFC 4291 section 2.5.3).
 */
function toText({ version, value }: IpAddress): string | null {
  const isLoopback = version === 4 ? value >> 24n === 127n : value === 1n
  if (isLoopback) return null
  const [size, count, kept] = version === 4 ? [8, 4, 3] : [16, 8, 3]
  const toPart = (n: number) => Number((value >> BigInt(size * (count - n - 1))) & ((1n << BigInt(size)) - 1n))
  const parts = Array.from({ length: count }, (_, n) => (n < kept ? toPart(n) : 0))
  if (version === 4) return `${parts.join(".")}/24`
  const { hostname } = new URL(`http://[${parts.map((part) => part.toString(16)).join(":")}]/`)
  return `${hostname.slice(1, -1)}/48`
}

/** Text of one line without control, format and surrogate characters. Some stores refuse NUL; some pages reorder text. */
function clean(text: unknown, maxLength: number): string | null {
  if (typeof text !== "string") return null
  const line = text
    .slice(0, 8 * maxLength)
    .replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, " ")
    .trim()
  return Array.from(line).slice(0, maxLength).join("").slice(0, maxLength).toWellFormed() || null
}

type Family = readonly [pattern: RegExp, name: string]

/** The first that matches: most browsers name those before them. */
const browsers: readonly Family[] = [
  [/\bEdg(?:e|A|iOS)?\//, "Edge"],
  [/\b(?:OPR|Opera)\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\bVivaldi\//, "Vivaldi"],
  [/\bDuckDuckGo\/|\bDdg\//, "DuckDuckGo"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\b(?:Chrome|CriOS|Chromium|HeadlessChrome)\//, "Chrome"],
  [/^(?=.*\bVersion\/\d).*\bSafari\//, "Safari"],
  [/\bcurl\//, "curl"],
  [/\bokhttp\//, "okhttp"],
]

const systems: readonly Family[] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bWindows\b/, "Windows"],
  [/\bMac(?:intosh| OS X)\b/, "macOS"],
  [/\bLinux\b/, "Linux"],
]

/** The names that a user agent has for itself and its system. Null where unknown. */
export interface NamedDevice {
  readonly browser: string | null
  readonly system: string | null
}

/** Finds the names of browser and system, which are the same in every language. */
export function findDevice(userAgent: string | null): NamedDevice {
  const find = (families: readonly Family[]) => families.find(([pattern]) => pattern.test(userAgent ?? ""))?.[1] ?? null
  return { browser: find(browsers), system: find(systems) }
}

/** The account area's message for a device, whose translations name passkeys too. */
export const deviceMessages = { "sessions.device": "{browser} on {system}" } as const

/** Names a device by its user agent, such as `Firefox on Windows`. Null if neither browser nor system is known. */
export function nameDevice(userAgent: string | null): string | null {
  const { browser, system } = findDevice(userAgent)
  return browser && system ? `${browser} on ${system}` : (browser ?? system)
}
