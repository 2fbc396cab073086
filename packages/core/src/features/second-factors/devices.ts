import { type SealedCookieDeps, sealedCookie } from "../../checks/sealed-cookie.js"
import { isEqualInConstantTime, sha256Hex } from "../../crypto/hash.js"
import { randomId } from "../../crypto/random.js"
import type { Store } from "../../host/store.js"
import type { CookieJar } from "../../http/cookies.js"
import { ownCookies } from "../../http/own-cookies.js"
import { isSameId } from "../../runtime/id.js"
import { isRecord, parseJson } from "../../runtime/json.js"
import { systemClock } from "../../runtime/promise.js"
import type { AdapterFactor } from "../../types/adapter-features.js"
import type { Awaitable } from "../../types/basics.js"
import type { ResponseCookie } from "../../types/http.js"
import { byAge, deviceKind, toFactors, type Vault } from "./factor.js"

/** How long a device is remembered. */
export interface RememberOptions {
  /** Whole days, at most 365. */
  readonly days: number
}

/**
 * Devices on which a user is not asked for the second factor. Each is a row beside the factors, so that a sign-in reads no
 * more than without them, and a deleted row ends it at once.
 */
export interface Devices {
  /** Remembers this browser, after its user has given a second factor. */
  remember(userId: string): Promise<ResponseCookie>
  /**
   * The cookie that replaces that of a remembered device; null for any other browser. Each cookie works once, so that a
   * copy is noticed: the one that comes second ends both.
   */
  recognize(jar: CookieJar, userId: string, rows: readonly AdapterFactor[]): Promise<ResponseCookie | null>
}

const isDevice = ({ kind }: Pick<AdapterFactor, "kind">): boolean => kind === deviceKind

/** Forgets all devices of a user: a factor or the password has changed, or all sessions have ended. */
export async function forgetDevices(userId: string, store: Pick<Store, "listFactors" | "deleteFactor">): Promise<void> {
  for (const { id } of (await store.listFactors(userId)).filter(isDevice)) await store.deleteFactor(id)
}

/** The oldest is forgotten. */
const maxDevices = 10

const daySeconds = 24 * 60 * 60

interface DevicesDeps extends SealedCookieDeps {
  readonly store: Store
  readonly vault: Vault
  readonly remember: false | RememberOptions
  /** Whether users can sign in with passkeys. Otherwise the adapter may have no method that lists them. */
  readonly hasPasskeys: boolean
  /** Ids of the providers whose own second factor counts. */
  readonly trusted: readonly string[]
}

export function createDevices(deps: DevicesDeps): Devices {
  const { store, vault, remember } = deps
  const seconds = remember ? remember.days * daySeconds : 0
  const sealed = sealedCookie<DeviceValue>(ownCookies.device, deps)

  function toCookie({ userId, id, token, expires }: Remembered): Awaitable<ResponseCookie> {
    const secondsLeft = Math.ceil((expires - systemClock()) / 1000)
    return sealed.write({ userId, id, token }, secondsLeft)
  }

  return {
    async remember(userId) {
      const now = systemClock()
      const rows = await store.listFactors(userId)
      const devices = rows.filter(isDevice).sort(byAge)
      for (const { id } of devices.slice(0, Math.max(0, devices.length - maxDevices + 1))) await store.deleteFactor(id)
      const device: Remembered = { userId, id: randomId(22), token: randomId(22), expires: now + seconds * 1000 }
      const secret = await seal(device, rows, deps)
      const createdAt = new Date(now)
      const row = { id: device.id, userId, kind: deviceKind, secret, label: null, lastStep: null, version: 0 }
      await store.createFactor({ ...row, createdAt, lastUsedAt: createdAt })
      return toCookie(device)
    },

    async recognize(jar, userId, rows) {
      if (!remember) return null
      for (const { userId: owner, id, token } of await sealed.read(jar)) {
        const row = isSameId(owner, userId) ? rows.find((each) => isDevice(each) && each.id === id) : undefined
        if (!row || typeof token !== "string") continue
        const next = await renew(row, token, rows)
        if (next) return toCookie(next)
        await store.deleteFactor(row.id)
      }
      return null
    },
  }

  /** Replaces the token of a row. Null if it is not the current one, or no longer counts. */
  async function renew(row: AdapterFactor, token: string, rows: readonly AdapterFactor[]): Promise<Remembered | null> {
    const stored = parseStored(await vault.open(row))
    if (!stored || !isEqualInConstantTime(stored.hash, await sha256Hex(token))) return null
    const { id, userId, version } = row
    if (stored.expires <= systemClock() || stored.factors !== (await describeFactors(userId, rows, deps))) return null
    const next: Remembered = { userId, id, token: randomId(22), expires: stored.expires }
    const change = { id, from: version, secret: await seal(next, rows, deps), lastUsedAt: new Date(systemClock()) }
    // Only `true` counts: an adapter that returns anything else did not confirm the write.
    return (await store.changeFactor(change)) === true ? next : null
  }
}

/** What the row keeps: no token that could be used, and the factors of the time. */
async function seal(
  { userId, id, token, expires }: Remembered,
  rows: readonly AdapterFactor[],
  deps: DevicesDeps,
): Promise<string> {
  const factors = await describeFactors(userId, rows, deps)
  const stored: StoredDevice = { hash: await sha256Hex(token), expires, factors }
  return deps.vault.seal({ id, userId, kind: deviceKind }, JSON.stringify(stored))
}

type DeviceValue = Pick<Remembered, "userId" | "id" | "token">

interface Remembered {
  readonly userId: string
  /** Of its row. */
  readonly id: string
  readonly token: string
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly expires: number
}

interface StoredDevice {
  /** Of the token. */
  readonly hash: string
  readonly expires: number
  readonly factors: string
}

function parseStored(text: string): StoredDevice | null {
  const stored = parseJson(text)
  if (!isRecord(stored)) return null
  const { hash, expires, factors } = stored
  const isValid = typeof hash === "string" && typeof expires === "number" && typeof factors === "string"
  return isValid ? { hash, expires, factors } : null
}

/**
 * Identifies what passes the gate for a user: factors, passkeys, and accounts at trusted providers, if the adapter lists them.
 * It changes with any of them, and with each recovery code that is used.
 */
async function describeFactors(
  userId: string,
  rows: readonly AdapterFactor[],
  { store, hasPasskeys, trusted }: DevicesDeps,
): Promise<string> {
  const passkeys = hasPasskeys ? await store.listAuthenticatorsByUserId(userId) : []
  const lists = trusted.length > 0 && store.has("listAccountsByUserId")
  const accounts = lists ? await store.listAccountsByUserId(userId) : []
  const factors = toFactors(rows)
  const parts = [
    ...factors.map(({ id, kind, version }) => [id, kind === "recovery" ? version : 0]),
    ...passkeys.map(({ credentialID }) => ["passkey", credentialID]),
    ...accounts
      .filter(({ provider }) => trusted.includes(provider))
      .map(({ provider, providerAccountId }) => ["account", provider, providerAccountId]),
  ]
  return sha256Hex(JSON.stringify(parts.sort()))
}
