import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { contractCookies, type OwnCookie, ownCookies } from "../../packages/core/src/http/own-cookies.js"

const page = readFileSync(new URL("../../docs/concepts/cookies.md", import.meta.url), "utf8")

/** The rows of the page's tables: each name with how long it lives. */
const rows = [...page.matchAll(/^\| (`[^|]+) \|[^|]+\| ([^|]+) \|/gm)].flatMap(([, names = "", life = ""]) =>
  [...names.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => ({
    name: name.replace(/\.<\w+>$/, ""),
    lives: life.split(", "),
  })),
)

const cookies: readonly OwnCookie[] = Object.values({ ...contractCookies, ...ownCookies })
const shortOf = ({ name }: OwnCookie) => name.slice("authjs.".length)

const units = [
  [365 * 86_400, "year"],
  [86_400, "day"],
  [60, "minute"],
] as const

function describeSeconds(seconds: number): string {
  const [size, unit] = units.find(([each]) => seconds % each === 0) ?? expect.unreachable()
  return `${seconds / size} ${unit}${seconds === size ? "" : "s"}`
}

describe("the page about cookies", () => {
  it("names every cookie of the service once, and no other", () => {
    expect(rows.map(({ name }) => name).sort()).toEqual(cookies.map(shortOf).sort())
  })

  it.each(cookies.filter(({ seconds }) => seconds !== undefined).map((cookie) => [shortOf(cookie), cookie] as const))(
    "says how long %s lives",
    (name, { seconds = 0 }) => {
      const lives = rows.find((row) => row.name === name)?.lives ?? []
      expect(lives.map((text) => text.replace("at most ", ""))).toContain(describeSeconds(seconds))
    },
  )
})
