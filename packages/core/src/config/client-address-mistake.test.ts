import { describe, expect, it } from "vitest"
import type { AuthConfig } from "../contract/config.js"
import { findMistake } from "./find-mistake.js"
import { resolveConfig } from "./resolve-config.js"

const secret = "a secret of at least thirty-two characters"
const production = { isProduction: true }

/** Configurations as JavaScript hosts write them: no type checker has seen them. */
type Given = Readonly<Record<string, unknown>>

function find(given: Given) {
  const config: object = { providers: [], secret, trustHost: true, ...given }
  return findMistake(resolveConfig(config as AuthConfig, production))
}

describe("findClientAddressMistake", () => {
  it.each<[Given, RegExp]>([
    [{ trustedProxies: "10.0.0.1" }, /^trustedProxies: must be a list/],
    [{ trustedProxies: ["10.0.0.1", "proxy.internal"] }, /^trustedProxies\[1\]: must be an address or a range/],
    [{ trustedProxies: ["10.0.0.0/33"] }, /^trustedProxies\[0\]: must be an address or a range/],
    [{ trustedProxies: [7] }, /^trustedProxies\[0\]: must be/],
    [{ trustedProxies: ["0.0.0.0/0"] }, /^trustedProxies\[0\]: is every address/],
    [{ trustedProxies: ["::/0"] }, /^trustedProxies\[0\]: is every address/],
    [{ clientAddress: "x-real-ip" }, /^clientAddress: must be a function/],
  ])("refuses %j", (given, message) => {
    const mistake = find(given)
    expect([mistake?.type, mistake?.message]).toEqual(["InvalidConfiguration", expect.stringMatching(message)])
  })

  it.each<Given>([
    { trustedProxies: [] },
    { trustedProxies: ["10.0.0.0/8", "2001:db8::1", "::ffff:10.0.0.0/104"] },
    { clientAddress: () => "192.0.2.1" },
  ])("has nothing to say against %j", (given) => expect(find(given)).toBeNull())
})
