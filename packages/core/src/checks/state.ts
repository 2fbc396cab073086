import { isEqualInConstantTime, macHex } from "../crypto/hash.js"
import { randomId } from "../crypto/random.js"
import type { Clock } from "../types/basics.js"
import { type FlowId, isFlowId } from "./replay.js"

/**
 * The `state` of a flow: its id, 130 random bits, and digests that tell where it began when the browser has lost its cookies.
 * Letters and digits, far below the limits of providers (WeChat: 128 bytes). What belongs to the flow is in its cookie, which
 * is also what the state is compared with.
 */
const idLength = 19
const randomLength = 22
const digestLength = 8
const pattern = /^[0-9a-z]{9}[0-9A-Za-z]{32}[0-9a-f]{16}$/

/** The id of a new flow, and its state. */
export interface NewState {
  readonly id: FlowId
  readonly state: string
}

/** @param app What the flow is bound to, such as a hash of the callback address. */
export async function createState(app: string, secret: string, clock: Clock): Promise<NewState> {
  const time = clock().toString(36).padStart(9, "0")
  const text = `${time}${randomAlphanumeric(idLength - 9 + randomLength)}`
  const id = text.slice(0, idLength)
  if (!isFlowId(id)) throw new TypeError("The clock is out of range")
  const [key, appDigest] = await Promise.all([digest(secret, "key", text), digest(secret, "app", `${text} ${app}`)])
  return { id, state: `${text}${key}${appDigest}` }
}

/** Where a state comes from. */
export interface StateOrigin {
  readonly id: FlowId
  /** Whether one of our secrets made it. */
  readonly isOurs: boolean
  /** Whether the flow is bound to the same app. */
  readonly isSameApp: boolean
}

/** Null for a text of another form, such as a sealed state. */
export async function findStateOrigin(
  state: string,
  app: string,
  secrets: readonly string[],
): Promise<StateOrigin | null> {
  const id = state.slice(0, idLength)
  if (!pattern.test(state) || !isFlowId(id)) return null
  const text = state.slice(0, -2 * digestLength)
  const key = state.slice(text.length, -digestLength)
  for (const secret of secrets) {
    if (!isEqualInConstantTime(await digest(secret, "key", text), key)) continue
    const isSameApp = isEqualInConstantTime(await digest(secret, "app", `${text} ${app}`), state.slice(-digestLength))
    return { id, isOurs: true, isSameApp }
  }
  return { id, isOurs: false, isSameApp: false }
}

async function digest(secret: string, kind: "key" | "app", text: string): Promise<string> {
  return (await macHex(secret, `state:${kind}`, text)).slice(0, digestLength)
}

/** Random letters and digits, 5.95 bits each. */
function randomAlphanumeric(length: number): string {
  let text = ""
  while (text.length < length) text += randomId(2 * length).replace(/[-_]/g, "")
  return text.slice(0, length)
}
