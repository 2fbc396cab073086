import { describe, expect, it } from "vitest"
import { findExportedOptions, moveToAuthObject } from "../../src/move/auth-object.js"

const door = "@latchkey/next/v4"
const options = [{ file: "src/server/auth.ts", name: "authOptions" }]
const members = "export const { handlers, auth, signIn, signOut } = NextAuth(authOptions)"
const moved = (file: string, ...lines: readonly string[]) =>
  moveToAuthObject(file, `${lines.join("\n")}\n`, options)
    .trimEnd()
    .split("\n")

const own = [
  `import { getServerSession, type NextAuthOptions } from "${door}"`,
  "export const authOptions: NextAuthOptions = { providers: [] }",
  "export const read = () => getServerSession(authOptions)",
]

describe("findExportedOptions", () => {
  it.each([
    own.join("\n"),
    `import type { AuthOptions } from "${door}"\nexport const authOptions = {} satisfies AuthOptions`,
    `import GitHub from "${door}"\nexport const authOptions = { adapter, callbacks: { session() {} } }`,
  ])("finds an exported constant: %#", (text) => {
    expect(findExportedOptions("lib/auth.ts", text)).toEqual({ file: "lib/auth.ts", name: "authOptions" })
  })

  it.each([
    ["lib/auth.ts", `import a from "${door}"\nexport const getOptions = (req): NextAuthOptions => ({})`],
    ["lib/auth.ts", `import a from "${door}"\nconst authOptions: NextAuthOptions = {}`],
    ["lib/auth.ts", `import a from "${door}"\nexport const authOptions: NextAuthOptions = make()`],
    ["lib/auth.ts", `import a from "${door}"\nexport const authOptions = {}\nconst auth = 5`],
    ["pages/api/auth/[...nextauth].ts", own.join("\n")],
    ["app/api/auth/[...nextauth]/route.ts", own.join("\n")],
  ])("finds none in %s: %#", (file, text) => {
    expect(findExportedOptions(file, text)).toBeNull()
  })

  it("MIG-19: finds none whose auth() would return all columns of a stored user", () => {
    const text = `import a from "${door}"\nexport const authOptions: NextAuthOptions = { adapter, callbacks: { jwt() {} } }`
    expect(findExportedOptions("lib/auth.ts", text)).toBeNull()
  })
})

describe("moveToAuthObject", () => {
  it("exports the members of NextAuth beside the options", () => {
    expect(moved("src/server/auth.ts", ...own)).toEqual([
      'import NextAuth from "@latchkey/next"',
      `import { type NextAuthOptions } from "${door}"`,
      own[1],
      "export const read = () => auth()",
      "",
      members,
    ])
  })

  it("calls auth in other files, by a relative path and by an alias", () => {
    const session = (from: string, calls: readonly string[], name = "authOptions") =>
      moved(
        "src/app/page.tsx",
        `import { getServerSession } from "${door}";`,
        `import { ${name} } from "${from}";`,
        ...calls.map((call) => `${call};`),
      )
    const call = "const a = await getServerSession(authOptions)"
    for (const from of ["../server/auth", "~/server/auth", "@/src/server/auth"]) {
      expect(session(from, [call])).toEqual([`import { auth } from "${from}";`, "const a = await auth();"])
    }
    const three = "const a = await getServerSession(req, ctx.res, authOptions)"
    expect(session("../server/auth", [three]).at(-1)).toBe("const a = await auth(req, ctx.res);")
    expect(session("../server/auth", [call, "use(authOptions)"])[0]).toBe(
      'import { authOptions, auth } from "../server/auth";',
    )
    expect(session("../server/other", [call]).at(-1)).toBe(`${call};`)
  })

  it("exports the handlers from the routes of both routers", () => {
    const imports = [`import NextAuth from "${door}"`, "", 'import { authOptions } from "../../server/auth"']
    const route = ["const handler = NextAuth(authOptions)", "", "export { handler as GET, handler as POST }"]
    expect(moved("src/app/api/route.ts", ...imports, "", ...route)).toEqual([
      'import { handlers } from "../../server/auth"',
      "",
      "export const { GET, POST } = handlers",
    ])
    expect(moved("src/pages/api/auth.ts", ...imports, "export default NextAuth(authOptions)")).toEqual([
      'import { handlers } from "../../server/auth"',
      "export default handlers.pages",
    ])
  })

  it("leaves a file alone that has the names, or uses the options in another way", () => {
    const imports = [`import NextAuth from "${door}"`, 'import { authOptions } from "../server/auth"']
    for (const last of [
      "export default function auth(a, b) { return NextAuth(a, b, authOptions) }",
      "use(authOptions)",
    ]) {
      expect(moved("src/app/a.ts", ...imports, last)).toEqual([...imports, last])
    }
  })

  it("MIG-16: keeps Windows line ends", () => {
    const text = own.join("\r\n")
    const after = moveToAuthObject("src/server/auth.ts", text, options)
    expect(after.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/)
  })
})
