import { describe, expect, it } from "vitest"
import { toDiff } from "../../src/move/diff.js"
import { moveSource } from "../../src/move/source.js"

const moved = (text: string, edition: 4 | 5 = 5, file = "app.ts") => moveSource(file, text, edition).text
const asked = (text: string, edition: 4 | 5 = 5, file = "app.ts") =>
  moveSource(file, text, edition).questions.map(({ kind, line }) => `${kind} ${line}`)

describe("moveSource", () => {
  it.each([
    ["next-auth", "@latchkey/next/v4", "@latchkey/next"],
    ["next-auth/next", "@latchkey/next/v4", undefined],
    ["next-auth/jwt", "@latchkey/next/v4", "@latchkey/core/jwt"],
    ["next-auth/react", "@latchkey/react/v4", "@latchkey/react"],
    ["next-auth/webauthn", undefined, "@latchkey/react/webauthn"],
    ["next-auth/middleware", "@latchkey/next/v4/middleware", undefined],
    ["next-auth/adapters", "@latchkey/core/adapters", "@latchkey/core/adapters"],
    ["next-auth/providers", "@latchkey/core/providers", "@latchkey/core/providers"],
    ["next-auth/providers/oauth", "@latchkey/core/providers", "@latchkey/core/providers"],
    ["next-auth/core/types", "@latchkey/next/v4", undefined],
    ["next-auth/core/lib/utils", undefined, undefined],
    ["next-auth/providers/github", "@latchkey/core/providers/github", "@latchkey/core/providers/github"],
    ["next-auth/providers/credentials", "@latchkey/next/v4/credentials", "@latchkey/core/providers/credentials"],
    ["next-auth/providers/unheard-of", undefined, undefined],
    ["next-auth/package.json", "@latchkey/next/package.json", "@latchkey/next/package.json"],
    ["@auth/core", "@latchkey/core", "@latchkey/core"],
    ["@auth/core/providers/google.js", "@latchkey/core/providers/google", "@latchkey/core/providers/google"],
    ["@auth/core/lib/utils", undefined, undefined],
    ["@auth/express/providers/google", "@latchkey/core/providers/google", "@latchkey/core/providers/google"],
    ["@auth/sveltekit/client", "@latchkey/sveltekit/client", "@latchkey/sveltekit/client"],
    ["@auth/qwik/adapters", "@latchkey/core/adapters", "@latchkey/core/adapters"],
    ["@auth/prisma-adapter", undefined, undefined],
    ["next-authentic", undefined, undefined],
  ])("renames %s", (name, four, five) => {
    const text = (module: string) => `import x from "${module}"\n`
    expect(moved(text(name), 4)).toBe(text(four ?? name))
    expect(moved(text(name))).toBe(text(five ?? name))
  })

  it.each([
    ["export * from 'NAME'", "app.ts"],
    ["export type { Session } from `NAME`".replaceAll("`", '"'), "app.mts"],
    ["const a = await import('NAME')", "app.js"],
    ["const a = await import(`NAME`)", "app.mjs"],
    ["const { auth } = require('NAME')", "app.cjs"],
    ["const a = require.resolve('NAME')", "app.cts"],
    ["vi.mock('NAME', () => ({}))", "app.test.tsx"],
    ["jest.mock('NAME')\njest.requireActual('NAME')", "app.test.js"],
    ["type A = import('NAME').Session", "app.ts"],
    ["let a: typeof import('NAME')", "app.d.ts"],
    ["import a = require('NAME')", "app.ts"],
    ["declare module 'NAME' { interface Session { a: 1 } }", "types.d.ts"],
    ["#!/usr/bin/env node\nimport 'NAME'", "app.mjs"],
    ["@a class B {}\nimport 'NAME'", "app.ts"],
    ["const a = <div>{'NAME'.length}</div>\nimport 'NAME'".replace("'NAME'.l", "''.l"), "app.jsx"],
    ["const a = <T,>(b: T) => <b.C />\nimport 'NAME'", "app.tsx"],
    ["const a = <string>b\nimport 'NAME'", "app.ts"],
  ])("renames it in %j of %s", (text, file) => {
    expect(moved(text.replaceAll("NAME", "next-auth"), 5, file)).toBe(text.replaceAll("NAME", "@latchkey/next"))
  })

  it("renames nothing in other strings, comments and markup", () => {
    const text = 'import a from "next"\n// import "next-auth"\nconst b = "next-auth"\nconst c = <p>next-auth</p>\n'
    expect(moved(text, 5, "app.tsx")).toBe(text)
  })

  it("renames modules in the scripts of components", () => {
    const script = (module: string) => `import { SignIn } from "${module}/components"`
    const svelte = (module: string) =>
      `<script lang="ts">\n  ${script(module)}\n</script>\n<p>{"@auth/sveltekit"}</p>\n`
    expect(moved(svelte("@auth/sveltekit"), 5, "A.svelte")).toBe(svelte("@latchkey/sveltekit"))
    const astro = (module: string) =>
      `---\nimport a from "${module}"\n---\n<p>a</p>\n<script>import b from "${module}"</script>\n`
    expect(moved(astro("@auth/core"), 5, "a.astro")).toBe(astro("@latchkey/core"))
    const vue = (module: string) =>
      `<template><p>@auth/core</p></template>\n<script setup>\nimport a from '${module}'\n</script>\n`
    expect(moved(vue("@auth/core"), 5, "A.vue")).toBe(vue("@latchkey/core"))
  })

  it("keeps the names of renamed types, and asks about types without a counterpart", () => {
    const text = 'import type { CommonProviderOptions, OAuthChecks as Checks, Theme } from "@auth/core/providers"'
    expect(moved(text)).toBe(
      'import type { CommonProvider as CommonProviderOptions, OAuthChecks as Checks, Theme } from "@latchkey/core/providers"',
    )
    expect(asked(text)).toEqual(["type 1"])
    const alias = 'export { type CommonProviderOptions as Options } from "@auth/core/providers"'
    expect(moved(alias)).toContain("{ type CommonProvider as Options }")
    expect(moved('import { type ClientSafeProvider } from "next-auth/react"')).toBe(
      'import { type PublicProvider as ClientSafeProvider } from "@latchkey/react"',
    )
  })

  it("augments one module for all interfaces of a program", () => {
    const text = (a: string, b: string) =>
      `import "x"\ndeclare module "${a}" { interface Session {} }\ndeclare module "${b}" { interface JWT {} }\n`
    expect(moved(text("next-auth", "next-auth/jwt"), 4)).toBe(text("@latchkey/next/v4", "@latchkey/next/v4"))
    expect(moved(text("next-auth", "next-auth/jwt"))).toBe(text("@latchkey/next", "@latchkey/next"))
    expect(moved(text("@auth/core/types", "@auth/core/jwt"))).toBe(text("@latchkey/core", "@latchkey/core"))
  })

  it("asks about what a machine must not change, once for each line", () => {
    const text = [
      'import NextAuth, { type NextAuthOptions } from "next-auth"',
      'import { PrismaAdapter } from "@next-auth/prisma-adapter"',
      'import { encode, decode } from "next-auth/jwt"',
      'import manifest from "next-auth/package.json"',
      "export const options: NextAuthOptions = {",
      "  providers: [Credentials({ async authorize() { if (a) throw new Error('wrong') } })],",
      "  cookies: { sessionToken: { name: '__Secure-next-auth.session-token' } },",
      "  jwt: { encode, decode },",
      "  logger: { error(code, metadata) {} },",
      "}",
      "const own = { wellKnown: 'a' }",
      "const token = await getToken({ req, secureCookie: true })",
      "const provider = { httpOptions: { agent } }",
      "const fine = { httpOptions: { timeout: 1 }, authorize: () => { throw new CredentialsSignin() } }",
    ].join("\n")
    expect(asked(text, 4)).toEqual([
      ...["adapter 2", "encode 3", "package-json 4", "authorize 6", "cookie-name 7", "encode 8", "logger 9"],
      ...["own-provider 11", "secure-cookie 12", "http-options 13"],
    ])
    expect(asked('export { default } from "next-auth/middleware"', 4, "src/middleware.ts")).toEqual(["middleware 1"])
  })

  it.each([
    ["name: `#{prefix}next-auth.session-token`", ["cookie-name 1"]],
    ["name: `#{prefix}#{isLocal ? '' : 'x'}next-auth.nonce`", ["cookie-name 1"]],
    ["name: prefix + 'next-auth.pkce.code_verifier'", ["cookie-name 1"]],
    ["name: `#{prefix}next-auth.theme`", []],
  ])("asks about the name of a cookie however it is written: %s", (member, kinds) => {
    expect(asked(`const own = { ${member.replaceAll("#", "$")} }`, 4)).toEqual(kinds)
  })

  it("asks about the logger of the app, and not about those of tests", () => {
    const text = 'vi.mock("next-auth", () => ({}))\nconst fakes = { logger: { error: vi.fn() } }'
    expect(asked(text, 4, "src/server/auth.ts")).toEqual(["logger 2"])
    for (const file of ["src/__tests__/auth.ts", "auth.test.ts", "src/auth.servertest.tsx", "src/auth.spec.mjs"])
      expect(asked(text, 4, file)).toEqual([])
  })

  it("asks about the version of the old package in the app's own package.json", () => {
    const text = 'import manifest from "../package.json"\nexport const a = manifest.dependencies["next-auth"]'
    expect(asked(text, 4)).toEqual(["package-json 2"])
    expect(asked(text.replace(".dependencies[", "?.devDependencies?.["), 4)).toEqual(["package-json 2"])
    expect(asked(text.replace("next-auth", "react"), 4)).toEqual([])
    expect(asked(text.replace("dependencies", "other"), 4)).toEqual([])
  })

  it.each(["import a from 'next-auth'\nconst = 5", "<script>import 'next-auth'; {</script>"])(
    "MIG-16: leaves broken syntax as it is, and asks: %j",
    (text) => {
      const file = text.startsWith("<") ? "A.vue" : "a.ts"
      expect(moved(text, 5, file)).toBe(text)
      expect(asked(text, 5, file)).toEqual(["unreadable 1"])
    },
  )

  it("MIG-16: keeps Windows line ends, a byte order mark, and every other character", () => {
    const text = (module: string) => `\uFEFFimport a from '${module}';;\r\n\r\n\tconst  b = 'ü😀' ;\r\n`
    expect(moved(text("next-auth"))).toBe(text("@latchkey/next"))
    const component = (module: string) => `\uFEFF---\r\nimport a from '${module}'\r\n---\r\n<p>ü</p>\r\n`
    expect(moved(component("@auth/core"), 5, "a.astro")).toBe(component("@latchkey/core"))
  })
})

describe("toDiff", () => {
  it("shows the changed lines with three lines around them", () => {
    const before = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\nm\n"
    const after = before.replace("e\n", "E\nE2\n").replace("m\n", "")
    expect(toDiff("a.ts", before, after)).toBe(
      [
        ...["--- a/a.ts", "+++ b/a.ts", "@@ -2,7 +2,8 @@", " b", " c", " d", "-e", "+E", "+E2", " f", " g", " h"],
        ...["@@ -10,5 +11,4 @@", " j", " k", " l", "-m", " ", ""],
      ].join("\n"),
    )
    expect(toDiff("a.ts", before, before)).toBe("")
  })
})
