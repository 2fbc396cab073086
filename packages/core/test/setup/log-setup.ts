import type { Adapter } from "@latchkey/core/adapters"
import type { LogRecord } from "@latchkey/core/types"
import {
  ada,
  fakeIdentityProvider,
  memoryAdapter,
  type TestHost,
  type TestHostOptions,
  testEmail,
} from "@latchkey/testkit"
import { expect } from "vitest"
import { openHost } from "./hosts.js"
import { passwordProvider } from "./sign-ins.js"

export type Strategy = "jwt" | "database"

export const right = { u: "v", p: "right" }
export const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const isTime = (text: string) => new Date(text).toISOString() === text
export const away = () => Promise.reject(new Error("SELECT * FROM users at /srv/db"))

/** A host with every type of provider. The store has user V, who signs in with a password. */
export async function openLogged(
  strategy: Strategy,
  { adapter: override, ...options }: Omit<TestHostOptions, "adapter"> & { readonly adapter?: Adapter } = {},
) {
  const second = fakeIdentityProvider({ issuer: "https://idp2.test", person: { ...ada, sub: "another" } })
  const stored = memoryAdapter()
  await stored.createUser({ id: "u-v", name: "V", email: "v@corp.test", emailVerified: null })
  const host = openHost({
    adapter: { ...stored, ...override },
    session: { strategy },
    network: { [second.origin]: second.handler },
    providers: ({ idp }) => [idp.provider(), second.oauthProvider({ id: "other" }), testEmail(), passwordProvider()],
    ...options,
  })
  return { host, stored }
}

/** A record without its time and request. */
export const summaryOf = ({ time, requestId, ...rest }: LogRecord) => {
  expect([isTime(time), requestId.length > 0]).toEqual([true, true])
  return rest
}

/** The records of one request. */
export async function recordsOf({ logger }: TestHost, work: () => Promise<unknown>): Promise<readonly object[]> {
  const before = logger.records.length
  await work()
  const fresh = logger.records.slice(before)
  expect(new Set(fresh.map(({ requestId }) => requestId)).size).toBeLessThan(2)
  return fresh.map(summaryOf)
}
