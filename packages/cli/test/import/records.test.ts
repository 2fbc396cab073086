import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, describe, expect, it, vi } from "vitest"
import { readCsvRecords } from "../../src/import/csv-records.js"
import { type FileRecord, openSourceFile, readJsonRecords } from "../../src/import/file-records.js"
import { openJson } from "../../src/import/sources/json.js"
import { collect, makeFolder } from "./source-fixtures.js"

function write(content: string | Buffer): string {
  const path = join(makeFolder(), "users.json")
  writeFileSync(path, content)
  return path
}

const read = (content: string | Buffer, after?: string) => collect(readJsonRecords(write(content), after))
const readCsv = (content: string | Buffer, after?: string) => collect(readCsvRecords(write(content), after))

const toShort = ({ line, record, problem }: FileRecord) => [line, record ?? problem]

describe("openJson", () => {
  afterEach(() => vi.unstubAllEnvs())

  it.each(["2026-11-30 03:00:00", "2026-11-30T03:00:00Z", "2026-11-30T04:00:00+01:00"])(
    "reads the date %s in UTC unless it names a zone",
    async (emailVerified) => {
      vi.stubEnv("TZ", "America/New_York")
      const line = JSON.stringify({ id: "1", email: "ada@example.com", emailVerified })
      const { read: readUsers } = await openJson({ argument: write(line), folder: "", environment: {}, options: {} })
      expect(await collect(readUsers(undefined))).toMatchObject([
        { user: { emailVerified: new Date("2026-11-30T03:00:00Z") } },
      ])
    },
  )
})

describe("readJsonRecords", () => {
  it.each([
    ["one a line", '{"id":1}\n{"id":2}\r\n\n{"id":3}', [1, 2, 4]],
    ["an array", '[{"id":1},\n{"id":2},{"id":3}]', [1, 2, 2]],
    [
      "an array that is written over many lines",
      '[\n  {\n    "id": 1\n  },\n  {\n    "id": 2\n  },\n  {"id": 3}\n]\n',
      [2, 5, 8],
    ],
    ["a member of an object", '{"users": [\n{\n  "id": 1,\n  "a": [{"b": 1}]\n},\n{"id":2}, {"id":3}]}', [2, 6, 6]],
    ["a member with a count after it", '{ "data": [{"id":1},{"id":2},{"id":3}], "totalCount": 3 }', [1, 1, 1]],
    ["a byte order mark", '\uFEFF{"id":1}\n{"id":2}\n{"id":3}', [1, 2, 3]],
  ])("reads %s", async (_, text, lines) => {
    const records = await read(text)
    expect(records.map(({ record }) => record?.["id"])).toEqual([1, 2, 3])
    expect(records.map(({ line }) => line)).toEqual(lines)
  })

  it("MIG-17: passes over what is broken, with its line, and goes on", async () => {
    const lines = [
      '{"id":1}',
      '{"id":2 "name":"no comma"}',
      '{"id":3,"name":"no end',
      '{"id":4,"name":{"deep":1}',
      "not JSON at all",
      '{"id":5,"name":"\\"}{ \\\\"}',
      `{"id":6,"name":"${"x".repeat(10_000_000)}"}`,
      '{"id":7}',
    ]
    expect((await read(lines.join("\n"))).map(toShort)).toEqual([
      [1, { id: 1 }],
      [2, "The object is not JSON"],
      [3, "The object has no end"],
      [4, "The object has no end"],
      [6, { id: 5, name: '"}{ \\' }],
      [7, "The object is longer than 1 MiB"],
      [8, { id: 7 }],
    ])
    expect((await read('x\n{"id":1}\ny')).map(toShort)).toEqual([
      [1, "The line is not JSON"],
      [2, { id: 1 }],
      [3, "The line is not JSON"],
    ])
  })

  it.each([
    ["no indentation", (text: string) => text.replaceAll(/^ +/gm, "")],
    ["objects at the start of lines", (text: string) => text.replaceAll(/\n */g, "").replaceAll(/(?<!^\[)\{/g, "\n{")],
  ])("MIG-17: reads no records in the data of a user, in a file with %s", async (_, toForm) => {
    const inner = [{ id: 8 }, { id: 9, more: { id: 10 } }]
    const users = [{ id: 1, data: { inner, text: '"}]' } }, { id: 2, data: inner }, { id: 3 }]
    const text = toForm(JSON.stringify(users, null, 1))
    const records = await read(text)
    expect(records.map(({ record }) => record)).toEqual(users)
    for (const [n, { cursor }] of records.entries()) expect(await read(text, cursor)).toEqual(records.slice(n + 1))
  })

  it("MIG-17: goes on with the next object after one whose end is missing where another may begin", async () => {
    const text = '[\n{"id":1,"roles":["a",\n{"id":2},\n{"id":3}\n]\n'
    const records = await read(text)
    expect(records.map(toShort)).toEqual([
      [2, "The object has no end"],
      [3, { id: 2 }],
      [4, { id: 3 }],
    ])
    for (const [n, { cursor }] of records.entries()) expect(await read(text, cursor)).toEqual(records.slice(n + 1))
  })

  it("MIG-17: passes over an object of another encoding, and keeps names of prototypes as they are", async () => {
    const latin = Buffer.concat([
      Buffer.from('{"id":1}\n{"id":2,"name":"'),
      Buffer.from([0xe4]),
      Buffer.from('"}\n{"__proto__":{"id":3}}'),
    ])
    const records = await read(latin)
    expect(records.map(({ problem }) => problem)).toEqual([undefined, "The object is not UTF-8", undefined])
    expect(records[2]?.record?.["id"]).toBeUndefined()
  })

  it("goes on after the cursor of each record, in any form", async () => {
    for (const text of ['{"id":1}\n{"id":2}\nx\n{"id":3}', '{"users":[{"id":1},\n{"id":2},{"id":3}]}']) {
      const records = await read(text)
      for (const [n, { cursor }] of records.entries()) expect(await read(text, cursor)).toEqual(records.slice(n + 1))
    }
  })
})

describe("readCsvRecords", () => {
  it("reads fields with quotes, commas, line ends and nothing", async () => {
    const records = await readCsv('id,name,email\r\n1,"Lovelace, ""Ada""",a@x.test\r\n2,,\n3,"two\nlines",c@x.test')
    expect(records.map(toShort)).toEqual([
      [2, { id: "1", name: 'Lovelace, "Ada"', email: "a@x.test" }],
      [3, { id: "2", name: "", email: "" }],
      [4, { id: "3", name: "two\nlines", email: "c@x.test" }],
    ])
    const text = 'id,name\n1,"a\nb"\n2,c\n3,d'
    const all = await readCsv(text)
    for (const [n, { cursor }] of all.entries()) expect(await readCsv(text, cursor)).toEqual(all.slice(n + 1))
  })

  it("MIG-17: passes over broken lines, with their numbers, and goes on with the next", async () => {
    const long = "x".repeat(2_000_000)
    const lines = ["id,name", '1,"no end', "2,b", "3,b,c", '4,a"b"', `5,${long}`, "6", "7,g"]
    expect((await readCsv(lines.join("\n"))).map(toShort)).toEqual([
      [2, "The quotes of the line are broken"],
      [3, { id: "2", name: "b" }],
      [4, "The line has 3 fields instead of 2"],
      [5, "The quotes of the line are broken"],
      [6, "The line is longer than 1 MiB"],
      [7, "The line has 1 fields instead of 2"],
      [8, { id: "7", name: "g" }],
    ])
  })

  it.each([
    ["many lines", "x\n".repeat(500)],
    ["more than is read", `${"x".repeat(100)}\n`.repeat(11_000)],
  ])("MIG-17: reads no records in a field of %s, which a user may have written", async (_, lines) => {
    const field = `Mallory\n${lines}9,Admin\n""\n10,Admin\n`
    const text = `id,name\n1,a\n2,"${field}"\n3,c`
    const records = await readCsv(text)
    expect(records.map(({ record }) => record?.["id"])).toEqual(["1", lines.length < 1e6 ? "2" : undefined, "3"])
    for (const [n, { cursor }] of records.entries()) expect(await readCsv(text, cursor)).toEqual(records.slice(n + 1))
  })

  const longLine = "x".repeat(2_000_000)

  it.each([
    ["whose first line is too long", `${longLine}\n9,Admin\n`],
    ["with a line that is too long", `Mallory\n${longLine}\n9,Admin\n`],
    ["whose last line is too long", `Mallory\n9,Admin\n${longLine}`],
    ["with quotes in a line that is too long", `Mallory\n${longLine}"",""\n9,Admin\n`],
    ["with a line of many quotes", `${'""'.repeat(800_000)}\n9,Admin\n`],
    ["with a line that is not UTF-8", Buffer.from([0x0a, 0xff, 0x0a, 0x39, 0x2c, 0x41, 0x0a])],
  ])("MIG-17: refuses a record with a field %s, and reads no records in it", async (_, field) => {
    for (const end of ["\n", "\r\n"]) {
      const before = Buffer.from(["id,name", "1,a", '2,"'].join(end))
      const after = Buffer.from(['"', "3,c", '4,"d"', `5,"${longLine}"`, "6,f", ""].join(end))
      const text = Buffer.concat([before, Buffer.from(field), after])
      const records = await readCsv(text)
      expect(records.map(({ record }) => record?.["id"])).toEqual(["1", undefined, "3", "4", undefined, "6"])
      expect(records[1]).toMatchObject({ line: 3, problem: expect.stringMatching(/longer than 1 MiB|not UTF-8/) })
      for (const [n, { cursor }] of records.entries()) expect(await readCsv(text, cursor)).toEqual(records.slice(n + 1))
    }
  })

  it("MIG-17: reads no records in a field that a cut file ends in", async () => {
    for (const end of ["", "\n", "\r\n", "\n\n"]) {
      const text = `id,name\n1,a\n2,"Mallory\n9,Admin${end}`
      const records = await readCsv(text)
      expect(records.map(toShort)).toEqual([
        [2, { id: "1", name: "a" }],
        [3, "A quoted field of this line is never closed, so nothing after it was read"],
      ])
      for (const [n, { cursor }] of records.entries()) expect(await readCsv(text, cursor)).toEqual(records.slice(n + 1))
    }
  })

  it("refuses a file whose first line names no columns", async () => {
    await expect(readCsv('{"id":1}\n')).rejects.toThrow(/does not name the columns/)
    await expect(readCsv("")).rejects.toThrow(/does not name the columns/)
  })
})

describe("openSourceFile", () => {
  it.each([
    ["a file that is missing", null, /There is no file .*Export it/],
    ["UTF-16", Buffer.from('\uFEFF{"id":1}', "utf16le"), /UTF-16/],
    ["a compressed file", Buffer.from([0x1f, 0x8b, 0x08]), /gunzip/],
  ])("MIG-17: refuses %s", async (_, content, message) => {
    const path = content === null ? join(makeFolder(), "x") : write(content)
    await expect(openSourceFile(path, "/", "Export it.")).rejects.toThrow(message)
  })

  it.each(["POSTGRES://app:sesame-7@db.example.com/app", "host=db user=app password=sesame-7"])(
    "does not repeat what may be the address of a database (%s)",
    async (argument) => {
      const error = await openSourceFile(argument, "/", "Export it.").catch(String)
      expect(error).toMatch(/There is no file of that name. Export it./)
      expect(error).not.toContain("sesame-7")
    },
  )

  it("tells one file from another", async () => {
    const path = write("a")
    const first = await openSourceFile(path, "/", "")
    writeFileSync(path, "b")
    expect((await openSourceFile(path, "/", "")).fingerprint).not.toBe(first.fingerprint)
  })

  it("MIG-22: tells two exports of one size and one beginning apart, and knows one that was moved", async () => {
    const toFingerprint = async (end: string) =>
      (await openSourceFile(write(`${"x".repeat(100_000)}${end}`), "/", "")).fingerprint
    expect(await toFingerprint("a")).not.toBe(await toFingerprint("b"))
    expect(await toFingerprint("a")).toBe(await toFingerprint("a"))
  })
})
