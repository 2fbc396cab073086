import { spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"

const compat = join(import.meta.dirname, "..", "..")
const generated = join(compat, "prisma", "generated")
const tsc = join(compat, "..", "node_modules", "typescript-native", "bin", "tsc")

/** As a host writes it, with the types that Prisma made for its schema. */
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

// @ts-expect-error: that is no client of Prisma's
PrismaAdapter({ user: {} })
`

it("PrismaAdapter takes the clients that Prisma generates, extended or within a transaction", () => {
  writeFileSync(join(generated, "host.ts"), host)
  const compilerOptions = { rootDir: join(compat, ".."), customConditions: ["@latchkey/source"] }
  const settings = { extends: "../../tsconfig.json", compilerOptions, include: ["host.ts"], exclude: [] }
  writeFileSync(join(generated, "tsconfig.json"), JSON.stringify(settings))
  const { stdout } = spawnSync(process.execPath, [tsc, "-p", generated], { encoding: "utf8" })
  expect(stdout).toBe("")
}, 60_000)

it("the schema of the tests is the one that the README shows", () => {
  const models = (text: string) => text.slice(text.indexOf("model User"))
  const readme = readFileSync(join(compat, "..", "packages", "prisma-adapter", "README.md"), "utf8")
  const [, shown] = readme.split("```prisma\n")
  for (const name of ["sqlite", "postgresql"]) {
    const schema = readFileSync(join(compat, "prisma", `${name}.prisma`), "utf8")
    expect(models(schema)).toBe(shown?.split("```")[0])
  }
})
