import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { keptCookies } from "../../test/setup/kept-cookies.js"
import type { ResponseCookie } from "../types/http.js"
import { type CookieRules, findRoom, fitCookies, shares } from "./cookie-budget.js"
import { findCookieBudget } from "./limits.js"
import { contractCookies, type OwnCookie, ownCookies, resolveCookies } from "./own-cookies.js"

const cookieBudget = findCookieBudget({ sessionChunks: 3 })
const rules: CookieRules = { cookies: resolveCookies(undefined, { isSecure: true }), isSecure: true, cookieBudget }
const kinds = Object.entries({ ...contractCookies, ...ownCookies }).map(([kind, cookie]) => ({
  ...cookie,
  ...shares[kind as keyof typeof shares], // as: a key of the tables.
}))
const nameOf = ({ prefix, name }: OwnCookie, suffix = "") => `${prefix}${name}${suffix}`
const jarOf = (values: Readonly<Record<string, string>>) => keptCookies(values).jar()
const set = (name: string, length: number): ResponseCookie => ({
  name,
  value: "x".repeat(length),
  options: { path: "/" },
})
const sizeOf = (header: string) => header.length + 2

describe("fitCookies", () => {
  it.each(kinds.map((cookie) => [cookie.name, cookie] as const))("counts %s", (_, cookie) => {
    const { surplus } = fitCookies({ jar: jarOf({ [nameOf(cookie)]: "x".repeat(20_000) }), replied: [] }, rules)
    const { leftOut } = fitCookies({ jar: jarOf({ [nameOf(cookie)]: "x".repeat(200) }), replied: [] }, rules)
    // The session is not given up by its size, but checked.
    expect([surplus > 0, leftOut]).toEqual([cookie.name === "authjs.session-token", []])
  })

  it("leaves out no cookie of an app", () => {
    const values = { theme: "x".repeat(20_000), "session-token": "x".repeat(9000) }
    expect(fitCookies({ jar: jarOf(values), replied: [] }, rules)).toMatchObject({ cookies: [], leftOut: [] })
  })

  it("counts a cookie by the name that the app gave it", () => {
    const cookies = resolveCookies({ state: { name: "st" } }, { isSecure: true })
    const jar = jarOf({ "st.000000001abcdefghij": "x".repeat(4000), sty: "x".repeat(20_000) })
    const replied = [set("__Secure-authjs.session-token.0", 10_500)]
    const fitted = fitCookies({ jar, replied }, { ...rules, cookies })
    expect(fitted.cookies.map(({ name, value }) => [name, value.length])).toEqual([
      ["__Secure-authjs.session-token.0", 10_500],
      ["st.000000001abcdefghij", 0],
    ])
  })

  it("gives up planted cookies first, then the oldest flow as a whole, and keeps the newest", () => {
    const jar = jarOf({
      "__Host-authjs.hint": "x".repeat(3000),
      "__Secure-authjs.state.000000002abcdefghij": "x".repeat(2000),
      "__Secure-authjs.state.000000001abcdefghij": "x".repeat(2000),
      "__Secure-authjs.nonce.000000001abcdefghij": "x".repeat(500),
      "__Secure-authjs.planted": "x".repeat(2000),
      "__Host-authjs.csrf-token": "x".repeat(3000),
    })
    const replied = [set("__Secure-authjs.state.000000003abcdefghij", 3000), set("__Secure-authjs.session-token", 3900)]
    const { cookies, leftOut } = fitCookies({ jar, replied }, rules)
    expect([cookies.filter(({ value }) => value === "").map(({ name }) => name), leftOut]).toEqual([
      [
        "__Host-authjs.csrf-token",
        "__Secure-authjs.planted",
        "__Secure-authjs.state.000000001abcdefghij",
        "__Secure-authjs.nonce.000000001abcdefghij",
      ],
      [],
    ])
  })

  it("gives up the pieces of a value together, and tells which kind was left out", () => {
    const jar = jarOf({
      "__Host-authjs.tokens.one.0": "x".repeat(3936),
      "__Host-authjs.tokens.one.1": "x".repeat(100),
      "__Host-authjs.tokens.two": "x".repeat(500),
      "__Host-authjs.proof": "x".repeat(600),
    })
    const { cookies, leftOut } = fitCookies({ jar, replied: [set("__Secure-authjs.session-token", 10_000)] }, rules)
    const cleared = cookies.filter(({ value }) => value === "")
    expect([cleared.map(({ name }) => name), leftOut]).toEqual([
      ["__Host-authjs.tokens.one.0", "__Host-authjs.tokens.one.1"],
      ["tokens"],
    ])
    expect(cleared[0]?.options).toEqual({ httpOnly: true, sameSite: "lax", path: "/", secure: true, maxAge: 0 })
  })

  it("never leaves more than the budget of what the service sets itself", () => {
    const suffix = fc.integer({ min: 100_000_000, max: 100_000_040 }).map((time) => `.${time}abcdefghij`)
    const cookie = fc.constantFrom(...kinds.filter(({ name }) => name !== "authjs.session-token")).chain((facts) =>
      fc.record({
        name: facts.isSeveral ? suffix.map((id) => nameOf(facts, id)) : fc.constant(nameOf(facts)),
        length: fc.integer({ min: 1, max: Math.max(1, facts.share - nameOf(facts).length - 21) }),
      }),
    )
    const few = fc.array(
      cookie.filter(({ name }) => /proof|device|hint|tokens|values/.test(name)),
      { maxLength: 4 },
    )
    fc.assert(
      fc.property(
        fc.array(cookie, { maxLength: 18 }),
        few,
        fc.integer({ min: 0, max: 10_240 }),
        (sent, added, session) => {
          const browser = keptCookies(Object.fromEntries(sent.map(({ name, length }) => [name, "x".repeat(length)])))
          const replied = [
            ...added.map(({ name, length }) => set(name, length)),
            set("__Secure-authjs.session-token", session),
          ]
          const fitted = fitCookies({ jar: browser.jar(), replied, pagePath: "/auth/signin" }, rules)
          browser.keep(fitted.cookies)
          expect(sizeOf(browser.header())).toBeLessThanOrEqual(cookieBudget)
          expect(fitted.surplus).toBeLessThanOrEqual(0)
        },
      ),
    )
  })

  it("gives up a planted cookie with the name of one of its own, but not its prefix, and keeps its own", () => {
    const own = { "__Host-authjs.proof": "x".repeat(600), "__Host-authjs.tokens.one": "x".repeat(600) }
    const planted = { "authjs.proof": "x".repeat(600), "__Secure-authjs.tokens.one": "x".repeat(3900) }
    const replied = [set("__Secure-authjs.session-token", 10_000)]
    const { cookies, leftOut } = fitCookies({ jar: jarOf({ ...planted, ...own }), replied }, rules)
    const cleared = cookies.filter(({ value }) => value === "")
    expect([cleared.map(({ name }) => name), leftOut]).toEqual([["__Secure-authjs.tokens.one"], []])
  })

  it("answers thousands of planted cookies with few, the largest first", () => {
    const planted = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`authjs.x${n}`, "x".repeat(n % 40)]))
    const jar = jarOf({ ...planted, "authjs.large": "x".repeat(15_000) })
    const { cookies } = fitCookies({ jar, replied: [] }, rules)
    expect([cookies.length, cookies[0]?.name]).toEqual([20, "authjs.large"])
  })
})

describe("findRoom", () => {
  const jar = jarOf({
    "__Host-authjs.hint": "x".repeat(1000),
    "__Host-authjs.proof": "x".repeat(500),
    "__Secure-authjs.callback-url": "x".repeat(4000),
    "__Host-authjs.tokens.one": "x".repeat(2000),
  })
  const replied = [set("__Secure-authjs.session-token", 3000)]
  const room = (kind: "held" | "hint" | "tokens", name: string, own = rules) =>
    findRoom(kind, name, { jar, replied }, own)

  it("leaves out what is less important, and the cookie that is replaced", () => {
    const others = 500 + 3000 + "__Host-authjs.proof=; __Secure-authjs.session-token=; ".length
    expect(room("tokens", "__Host-authjs.tokens.one")).toBe(cookieBudget - 4096 - others)
    const two = 2000 + "__Host-authjs.tokens.one=; ".length
    expect(room("tokens", "__Host-authjs.tokens.two")).toBe(cookieBudget - 4096 - others - two)
    expect(room("hint", "__Host-authjs.hint")).toBe(cookieBudget - 4096 - others - two)
  })

  it("counts no cookie without the prefix of its kind, which a neighboring site can plant", () => {
    const planted = { "authjs.proof": "x".repeat(2000), "__Secure-authjs.tokens.one": "x".repeat(3900) }
    const find = (values: Readonly<Record<string, string>>) =>
      findRoom("held", "__Host-authjs.held", { jar: jarOf(values), replied }, rules)
    expect(find(planted)).toBe(find({}))
  })

  it("grows with the session that the app allows", () => {
    const raised = { ...rules, cookieBudget: findCookieBudget({ sessionChunks: 6 }) }
    expect(room("hint", "__Host-authjs.hint", raised) - room("hint", "__Host-authjs.hint")).toBe(6 * 4096 - 10 * 1024)
  })
})
