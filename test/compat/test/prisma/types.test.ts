import { spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"

const compat = join(import.meta.dirname, "..", "..")
const generated = join(compat, "prisma", "generated")
const tsc = join(compat, "..", "..", "node_modules", "typescript-native", "bin", "tsc")

/** App code with the generated types. */
const host = `
import type { Adapter } from "@latchkey/core/adapters"
import { PrismaAdapter } from "@latchkey/prisma-adapter"
import type { PrismaClient as Sqlite } from "./sqlite/client.js"
import type { PrismaClient as Postgres } from "./postgresql/client.js"

declare const sqlite: Sqlite
declare const postgres: Postgres

const extended = postgres.$extends({ query: { user: { findFirst: ({ args, query }) => query(args) } } })

export const adapters: readonly Adapter[] = [PrismaAdapter(sqlite), PrismaAdapter(postgres), PrismaAdapter(extended)]

export const created = postgres.$transaction((transaction) => PrismaAdapter(transaction).getUser("ada"))

// @ts-expect-error: not a Prisma client
PrismaAdapter({ user: {} })
`

it("PrismaAdapter accepts generated clients, extended ones and transactions", () => {
  writeFileSync(join(generated, "host.ts"), host)
  const compilerOptions = { rootDir: join(compat, "..", ".."), customConditions: ["@latchkey/source"] }
  const settings = { extends: "../../tsconfig.json", compilerOptions, include: ["host.ts"], exclude: [] }
  writeFileSync(join(generated, "tsconfig.json"), JSON.stringify(settings))
  const { status, stdout } = spawnSync(process.execPath, [tsc, "-p", generated], { encoding: "utf8" })
  expect({ status, stdout }).toEqual({ status: 0, stdout: "" })
}, 60_000)

it("the tests use the schema of the README", () => {
  const models = (text: string) => text.slice(text.indexOf("model User"))
  const readme = readFileSync(join(compat, "..", "..", "packages", "prisma-adapter", "README.md"), "utf8")
  const [, shown] = readme.split("```prisma\n")
  for (const name of ["sqlite", "postgresql"]) {
    const schema = readFileSync(join(compat, "prisma", `${name}.prisma`), "utf8")
    expect(models(schema)).toBe(shown?.split("```")[0])
  }
})
