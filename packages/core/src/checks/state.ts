import { isEqualInConstantTime, macHex, sha256Hex } from "../crypto/hash.js"
import { randomId } from "../crypto/random.js"
import { all, andThen } from "../runtime/promise.js"
import type { Awaitable, Clock } from "../types/basics.js"
import { type FlowId, isFlowId } from "./replay.js"

/**
 * The `state` of a flow: its id, 130 random bits, and digests that tell where it began when the browser has lost its cookies:
 * of the secret, of the callback address, and of the client with it.
 * Letters and digits, far below the limits of providers (WeChat: 128 bytes). What belongs to the flow is in its cookie, which
 * is also what the state is compared with.
 */
export const idLength = 19
const randomLength = 22
const keyLength = 8
const placeLength = 4
/** The id and the random characters. */
const textLength = idLength + randomLength
const pattern = /^[0-9a-z]{9}[0-9A-Za-z]{32}[0-9a-f]{16}$/

/** The id of a new flow, and its state. */
export interface NewState {
  readonly id: FlowId
  readonly state: string
}

/** What a flow is bound to. */
export interface FlowPlace {
  /** The callback address. */
  readonly redirectUri: string
  /** The issuer and the client, with the callback address. */
  readonly clientBinding: string
}

export function createState(place: FlowPlace, secret: string, clock: Clock): Awaitable<NewState> {
  const time = clock().toString(36).padStart(9, "0")
  const text = `${time}${randomAlphanumeric(textLength - 9)}`
  const id = text.slice(0, idLength)
  if (!isFlowId(id)) throw new TypeError("The clock is out of range")
  return andThen(macOf(text, secret), (mac) =>
    andThen(digestPlace(mac, place), ([host = "", client = ""]) => {
      return { id, state: `${text}${mac.slice(0, keyLength)}${host}${client}` }
    }),
  )
}

function macOf(text: string, secret: string): Awaitable<string> {
  return macHex(secret, "state:key", text)
}

/**
 * Digests of the callback address, and of the client. Only their beginning and that of the MAC leave the service, so the MAC is
 * their key: a MAC of each would take twice as long.
 */
function digestPlace(mac: string, { redirectUri, clientBinding }: FlowPlace): Awaitable<readonly string[]> {
  const digests = all([sha256Hex(`host ${mac} ${redirectUri}`), sha256Hex(`app ${mac} ${clientBinding}`)])
  return andThen(digests, (whole) => whole.map((digest) => digest.slice(0, placeLength)))
}

/** Where a state comes from. */
export interface StateOrigin {
  readonly id: FlowId
  /** Whether one of our secrets made it. */
  readonly isOurs: boolean
  /** Whether the flow has the same callback address. */
  readonly isSameHost: boolean
  /** Whether it also has the same issuer and client. */
  readonly isSameApp: boolean
}

/**
 * Null for a text of another form, such as a sealed state.
 * @param place Null if only the secret matters: then neither host nor app is the same.
 * @param n The first of the secrets that may have made it.
 */
export function findStateOrigin(
  state: string,
  place: FlowPlace | null,
  secrets: readonly string[],
  n = 0,
): Awaitable<StateOrigin | null> {
  const id = state.slice(0, idLength)
  if (!pattern.test(state) || !isFlowId(id)) return null
  const secret = secrets[n]
  if (secret === undefined) return { id, isOurs: false, isSameHost: false, isSameApp: false }
  const text = state.slice(0, textLength)
  return andThen(macOf(text, secret), (mac) => {
    const isOurs = isEqualInConstantTime(mac.slice(0, keyLength), state.slice(textLength, textLength + keyLength))
    if (!isOurs) return findStateOrigin(state, place, secrets, n + 1)
    if (place === null) return { id, isOurs, isSameHost: false, isSameApp: false }
    return andThen(digestPlace(mac, place), ([host = "", client = ""]) => {
      const isSameHost = isEqualInConstantTime(host, state.slice(-2 * placeLength, -placeLength))
      const isSameApp = isSameHost && isEqualInConstantTime(client, state.slice(-placeLength))
      return { id, isOurs, isSameHost, isSameApp }
    })
  })
}

/** Random letters and digits, 5.95 bits each. */
function randomAlphanumeric(length: number): string {
  let text = ""
  while (text.length < length) text += randomId(2 * length).replace(/[-_]/g, "")
  return text.slice(0, length)
}
