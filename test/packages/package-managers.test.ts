import { execFile } from "node:child_process"
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createHome, pack, root, type Tarballs, tsc } from "./packed-packages.js"

// Installs the packed core from a registry, next to the dependencies of a host. Each package manager lays out
// node_modules in its own way, and the host's versions come first where both need the same package.

const run = promisify(execFile)
const home = createHome()
let tarballs: Tarballs

/** What the renderer of the pages was written with, in the version that most projects have. */
const hostDependencies = { preact: "10.26.4" }

const installers = {
  npm: ["npm", "install", "--no-audit", "--no-fund"],
  pnpm: ["npm", "exec", "--yes", "--package=pnpm@10", "--", "pnpm", "install"],
  "pnpm, hoisted": ["npm", "exec", "--yes", "--package=pnpm@10", "--", "pnpm", "install", "--shamefully-hoist"],
  // Its own cache would have the tarballs of an earlier run, which have the same names and versions.
  yarn: [
    ...["npm", "exec", "--yes", "--package=yarn@1", "--", "yarn", "install", "--ignore-engines", "--no-progress"],
    ...["--cache-folder", join(home, "yarn-cache")],
  ],
} as const

async function install(name: keyof typeof installers): Promise<string> {
  const project = join(home, name.replace(/\W+/g, "-"))
  mkdirSync(project)
  const own = Object.fromEntries([...tarballs].map(([each, path]) => [`@latchkey/${each}`, `file:${path}`]))
  const dependencies = { ...hostDependencies, ...own }
  // The versions are not in a registry yet, so what depends on them needs to be told where they are.
  const { npm, ...rest } = { npm: { overrides: own }, resolutions: own, pnpm: { overrides: own } }
  const manifest = { name: "host", private: true, type: "module", dependencies, ...(name === "npm" ? npm : rest) }
  writeFileSync(join(project, "package.json"), JSON.stringify(manifest))
  copyFileSync(join(root, "test", "packages", "consumer", "render.mjs"), join(project, "render.mjs"))
  const [command, ...args] = installers[name]
  await run(command, args, { cwd: project })
  return project
}

beforeAll(() => {
  tarballs = pack(["types", "core"], home)
}, 120_000)

afterAll(() => rmSync(home, { recursive: true, force: true }), 60_000)

describe("npm run add", () => {
  it("installs all that the quick start needs under strict TypeScript", async () => {
    const project = join(home, "quick-start")
    mkdirSync(project)
    writeFileSync(join(project, "package.json"), '{ "name": "quick-start", "private": true }')
    const [, code = ""] =
      /## Quick start with Express\n+```ts\n(.*?)```/s.exec(readFileSync(join(root, "README.md"), "utf8")) ?? []
    expect(code).toContain("app.listen(3000)")
    writeFileSync(join(project, "app.mts"), code.replace("3000", "0"))
    await run(process.execPath, [join(root, "scripts", "add.mjs"), project, "express", "kysely-adapter"], { cwd: root })
    const options = ["--strict", "--noEmit", "--module", "nodenext", "--types", "node", "--target", "es2023"]
    await run(process.execPath, [tsc, ...options, "app.mts"], { cwd: project })
    const script = `import("./app.mts").then(() => setTimeout(() => process.exit(0), 500))`
    writeFileSync(
      join(project, ".env"),
      "AUTH_SECRET=of-the-quick-start-and-long-enough\nAUTH_GITHUB_ID=a\nAUTH_GITHUB_SECRET=b\n",
    )
    expect((await run(process.execPath, ["--env-file=.env", "-e", script], { cwd: project })).stderr).toBe("")
  }, 240_000)

  it("leaves the versions alone that an app has", async () => {
    const project = join(home, "older-app")
    mkdirSync(project)
    const dependencies = { react: "18.3.1" }
    const devDependencies = { "@types/node": "20.19.0", "@types/react": "18.3.12" }
    const manifest = { name: "older-app", private: true, dependencies, devDependencies }
    writeFileSync(join(project, "package.json"), JSON.stringify(manifest))
    await run(process.execPath, [join(root, "scripts", "add.mjs"), project, "react"], { cwd: root })
    const added = JSON.parse(readFileSync(join(project, "package.json"), "utf8"))
    expect(added.dependencies).toMatchObject(dependencies)
    expect(added.devDependencies).toEqual(devDependencies)
    const versionOf = (name: string) =>
      JSON.parse(readFileSync(join(project, "node_modules", name, "package.json"), "utf8")).version
    expect(["react", "@types/node", "@types/react"].map(versionOf)).toEqual(["18.3.1", "20.19.0", "18.3.12"])
  }, 240_000)

  it("knows packages by their names in the registry, such as the one whose command npx then finds", async () => {
    const project = join(home, "with-command")
    mkdirSync(project)
    writeFileSync(join(project, "package.json"), '{ "name": "with-command", "private": true }')
    await run(process.execPath, [join(root, "scripts", "add.mjs"), project, "latchkey", "@latchkey/core"], {
      cwd: root,
    })
    expect((await run("npx", ["--no", "latchkey", "secret"], { cwd: project })).stdout).toMatch(/^\S{32,}\n$/)
    const { stdout } = await run("npx", ["--no", "latchkey", "add", "sign-in", "--svelte"], { cwd: project })
    expect(stdout).toContain("SignIn.svelte")
  }, 240_000)

  it("names the packages when it does not know one", async () => {
    const args = [join(root, "scripts", "add.mjs"), home, "expres"]
    await expect(run(process.execPath, args, { cwd: root })).rejects.toThrow("There is no package expres.")
  })
})

describe("a project with another version of Preact", () => {
  it.each(Object.keys(installers) as (keyof typeof installers)[])(
    "gets complete pages and mails when it is installed with %s",
    async (name) => {
      const project = await install(name)
      const { stdout } = await run(process.execPath, ["render.mjs"], { cwd: project })
      const { page, mail } = JSON.parse(stdout)
      expect(page).toContain("Sign in with GitHub")
      expect(mail).toContain('href="https://app.example/auth/callback/resend?token=t"')
    },
    180_000,
  )
})
