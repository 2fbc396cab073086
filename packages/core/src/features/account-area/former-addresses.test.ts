import { memoryAdapter } from "@latchkey/testkit"
import { expect, it } from "vitest"
import type { AdapterAccountChange } from "../../types/adapter-features.js"
import { formerAddresses } from "./former-addresses.js"

const secret = "a secret of more than thirty-two characters"

/** As some drivers return a date. */
const drivers: readonly (readonly [string, (date: Date) => unknown])[] = [
  ["dates", (date) => date],
  ["text", (date) => date.toISOString()],
  ["text without a time zone", (date) => date.toISOString().replace("T", " ").replace("Z", "")],
  ["numbers", (date) => date.valueOf()],
]

it.each(drivers)("an address is claimed by one of two users if the adapter returns %s", async (_, toDriver) => {
  const adapter = memoryAdapter()
  for (const id of ["u-1", "u-2"]) {
    await adapter.createUser({ id, email: `${id}@example.com`, emailVerified: null })
  }
  const getAccountChange = async (id: string) => {
    const change = await adapter.getAccountChange(id)
    // as: drivers return such values
    return change && { ...change, expires: toDriver(change.expires) as AdapterAccountChange["expires"] }
  }
  const addresses = formerAddresses({ ...adapter, getAccountChange }, [secret])
  expect(await addresses.claim("u-1", "new@example.com")).not.toBeNull()
  expect(await addresses.claim("u-2", "new@example.com")).toBeNull()
})
