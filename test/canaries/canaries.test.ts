import { globSync } from "node:fs"
import { basename, join } from "node:path"
import { describe, expect, it } from "vitest"
import { sectionNames } from "../../packages/core/src/features/account-area/names.js"
import { accountRows } from "./account-rows.js"
import {
  accessTokenRows,
  deletionRows,
  doctorRows,
  freshnessRows,
  languageRows,
  logoutRows,
  manageRows,
  nativeRows,
  secondFactorRows,
  sessionRows,
} from "./feature-rows.js"
import { movingRows } from "./moving-rows.js"
import type { Rows } from "./rows.js"
import { credentialsRows, emailRows, oauthRows, passwordRows, webauthnRows } from "./sign-in-rows.js"
import { openStage, strategies } from "./stage.js"
import { findExplained, findTold } from "./told.js"

const under = (path: string, rows: Readonly<Record<string, Rows>>): Readonly<Record<string, Rows>> =>
  Object.fromEntries(Object.entries(rows).map(([name, each]) => [`${path}/${name}`, each]))

/** The failing flows of each method and feature of core, and of each reader of the import, by their place in the sources. */
const rows: Readonly<Record<string, Rows>> = {
  "methods/oauth": oauthRows,
  "methods/credentials": credentialsRows,
  "methods/email": emailRows,
  "methods/webauthn": webauthnRows,
  "methods/password": passwordRows,
  "features/account-area": deletionRows,
  ...under("features/account-area", accountRows),
  "features/access-tokens": accessTokenRows,
  "features/doctor": doctorRows,
  "features/freshness": freshnessRows,
  "features/languages": languageRows,
  ...under("features/moving", movingRows),
  "features/native-apps": nativeRows,
  "features/passwords": manageRows,
  "features/provider-logout": logoutRows,
  "features/second-factors": secondFactorRows,
  "features/tracked-sessions": sessionRows,
}

/** Files beside the methods and features that have no flow of their own: those of every method and feature pass through them. */
const shared = [
  "features/answer",
  "features/completed",
  "features/failure",
  "features/feature",
  "features/fit-reply",
  "features/form-page",
  "features/form-result",
  "features/form-values",
  "features/functions",
  "features/notices",
  "features/page",
  "features/proof-cookie",
  "features/route",
  "features/sessions",
  "features/sign-in",
  "features/sign-out",
  "features/slots",
  "features/visit",
  "methods/find-method",
  "methods/method",
  "methods/option-rules",
  "methods/reauthentication",
  "methods/steps",
]

const packages = join(import.meta.dirname, "..", "..", "packages")
const namesIn = (glob: string) => globSync(glob, { cwd: packages }).filter((path) => !path.includes(".test."))
const nameOf = (path: string) => basename(path).replace(/\.tsx?$/, "")

const cases = Object.entries(rows).flatMap(([part, flows]) =>
  Object.entries(flows).flatMap(([name, row]) =>
    strategies
      .filter((strategy) => row.only === undefined || row.only === strategy)
      .map((strategy) => [part, name, strategy, row] as const),
  ),
)

describe("DOC-01: what is told of a failing flow", () => {
  it("has rows for each method and feature of the sources, each section, and each reader", () => {
    const parts = ["methods", "features"].flatMap((folder) =>
      namesIn(`core/src/${folder}/*`).map((path) => `${folder}/${nameOf(path)}`),
    )
    const sections = sectionNames.map((name) => `features/account-area/${name}`)
    const readers = namesIn("import/src/*.ts").map((path) => `features/moving/${nameOf(path)}`)
    const covered = [...Object.keys(rows), ...shared, "features/moving"]
    expect([...parts, ...sections, ...readers].filter((part) => !covered.includes(part))).toEqual([])
    expect(covered.filter((part) => ![...parts, ...sections, ...readers].includes(part))).toEqual([])
  })

  it.each(cases)("%s: %s, with %s sessions", async (_part, _name, strategy, row) => {
    const stage = await openStage(strategy, row.options)
    await row.flow(stage)
    const told = await findTold(stage)
    expect(told, told).toBe("")
    expect(await findExplained(stage)).toBe(row.reason)
  })
})
