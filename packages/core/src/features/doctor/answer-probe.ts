import { sha256Hex } from "../../crypto/hash.js"
import { createFindClient } from "../../host/client-address.js"
import type { Store } from "../../host/store.js"
import { readCookies } from "../../http/cookies.js"
import type { IpAddress } from "../../http/ip-address.js"
import { json, noStore, type Reply } from "../../http/response.js"
import { resolveRateLimit } from "../../rate-limit/limiter.js"
import { marksPerProcess } from "../../runtime/cache.js"
import type { ResponseCookie } from "../../types/http.js"
import type { ActionContext, ReceivedRequest, ServedBy } from "../feature.js"
import { type OpenedProbe, type ProbeAnswer, sealAnswer } from "./probe.js"

/** Answers a probe. Null for one that was sent before. */
export async function answerProbe(
  probe: OpenedProbe,
  received: ReceivedRequest,
  service: ServedBy,
): Promise<Reply | null> {
  const url = new URL(received.request.url)
  const context = service.contextFor(url)
  if (!(await isFirst(probe, context.store))) return null
  const answer = await sealAnswer(describe(received, url, context), probe.id, context.secrets)
  return json({ answer }, { headers: noStore, cookies: createCookies(probe.cookieKibibytes) })
}

const openUsed = marksPerProcess("probed")

/** Marks a probe in this process, and then for all processes in the store, if its adapter has `consumeOnce`. */
async function isFirst({ id, forgettableAt }: OpenedProbe, store: Store | null): Promise<boolean> {
  const used = openUsed()
  if (used.has(id)) return false
  used.add(id)
  if (!store?.has("consumeOnce")) return true
  return (await store.consumeOnce(await sha256Hex(`doctor:${id}`), new Date(forgettableAt))) === true
}

/** Runtimes without processes have none of this. */
interface Runtime {
  readonly process?: { readonly pid?: number; readonly version?: string; uptime?(): number }
}

function describe(received: ReceivedRequest, url: URL, { config, log }: ActionContext): ProbeAnswer {
  const { request, context = {} } = received
  const { headers } = request
  const asked = { headers, url, method: "POST", context } as const
  const jar = readCookies(headers.get("cookie"))
  const client = createFindClient(config, log)(asked)
  const { process: own }: Runtime = globalThis
  const uptime = own?.uptime?.()
  const limits = resolveRateLimit(config)
  return {
    origin: url.origin,
    headers: Object.fromEntries([...headers].filter(([name]) => namingHeaders.test(name))),
    peer: context.peerAddress ?? context.clientAddress ?? null,
    isForwarded: context.isForwarded === true,
    client: client.address ? formatAddress(client.address) : null,
    clientReason: client.address ? null : client.reason,
    cookies: Object.fromEntries(jar.namesStarting("").map((name) => [name, jar.get(name)?.length ?? 0])),
    process: own?.pid === undefined ? "" : `${own.pid}`,
    startedAt: uptime === undefined ? null : Math.round(Date.now() / 1000 - uptime),
    runtime: own?.version ?? "",
    time: Date.now(),
    isProduction: config.isProduction,
    limiter: limits === null ? "off" : limits.store ? "store" : "memory",
    adapter: config.adapter ? Object.entries(config.adapter).flatMap(([name, it]) => (it ? [name] : [])) : [],
  }
}

const namingHeaders = /^(?:host|forwarded|via|x-forwarded-(?:for|host|proto|port)|x-real-ip)$/

function formatAddress({ version, value }: IpAddress): string {
  if (version === 4) return [24n, 16n, 8n, 0n].map((bits) => String((value >> bits) & 0xffn)).join(".")
  return value
    .toString(16)
    .padStart(32, "0")
    .replace(/.{4}(?=.)/g, "$&:")
}

const cookieLength = 3000

/** Cookies that expire at once: only their headers count. */
function createCookies(kibibytes: number): readonly ResponseCookie[] {
  const count = Math.min(4, Math.ceil((kibibytes * 1024) / cookieLength))
  return Array.from({ length: count }, (_, n) => ({
    name: `latchkey-doctor-${n}`,
    value: "x".repeat(cookieLength),
    options: { maxAge: 0, path: "/" },
  }))
}
