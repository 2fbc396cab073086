import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { moveManifest } from "../../src/move/manifests.js"
import { latchkey, runHere } from "../command.js"
import { commit, createProject, git, manifest, read, write } from "./project.js"

const app = { next: "16.0.0", react: "19.0.0", "next-auth": "4.24.13" }
const importOf = (module: string) => `import NextAuth from "${module}"\n`
const four = "@latchkey/next/v4"

const move = (folder: string, ...args: readonly string[]) =>
  runHere(["move", "--yes", "--no-install", ...args], { folder })
const changed = (folder: string) =>
  git(folder, "status", "--porcelain")
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean)
    .sort()

describe("latchkey move", () => {
  it("prints its usage", async () => {
    const { code, output } = await runHere(["move", "--help"], { folder: "/" })
    expect([code, output]).toEqual([0, expect.stringContaining("--dry-run")])
  })

  it("shows the changes, asks, and writes nothing without a yes", async () => {
    const folder = createProject({ "package.json": manifest(app), "auth.ts": importOf("next-auth") })
    const questions: string[] = []
    const ask = async (question: string) => {
      questions.push(question)
      return "n"
    }
    const { code, output } = await runHere(["move"], { folder, ask })
    expect([code, questions, changed(folder)]).toEqual([0, ["Write these changes? [y/N] "], []])
    expect(output).toContain(`-${importOf("next-auth")}+${importOf(four)}`)
    const dry = await runHere(["move", "--dry-run"], { folder })
    expect([dry.code, dry.output, changed(folder)]).toEqual([0, expect.stringContaining(importOf(four)), []])
    const silent = await runHere(["move"], { folder })
    expect([silent.code, silent.errors, changed(folder)]).toEqual([1, expect.stringContaining("--yes"), []])
  })

  it("writes after a yes", async () => {
    const folder = createProject({ "package.json": manifest(app), "auth.ts": importOf("next-auth") })
    const { code, output } = await runHere(["move", "--no-install"], { folder, ask: async () => "y" })
    expect([code, output]).toEqual([
      0,
      expect.stringContaining("package.json:6  sessions of version 4 have other cookies"),
    ])
    expect(read(folder, "auth.ts")).toBe(importOf(four))
  })

  it("lists numbered questions, with file, line and section of the guide", async () => {
    const auth = `${importOf("next-auth")}const options = {\n  authorize() {\n    throw new Error("a")\n  },\n}\n`
    const folder = createProject({ "package.json": manifest(app), "lib/auth.ts": auth })
    expect((await move(folder)).output).toMatch(
      /\n {2}1\. lib\/auth\.ts:3 {2}authorize throws[\s\S]*Guide: "Next\.js", section/,
    )
  })

  it.each([
    ["next", "14.2.3", "Next.js 15 or 16"],
    ["next", "^13", "Next.js 15 or 16"],
    ["react", "17.0.2", "React 18"],
  ])("stops before the first change with %s %s", async (name, version, advice) => {
    const folder = createProject({
      "package.json": manifest({ ...app, [name]: version }),
      "auth.ts": importOf("next-auth"),
    })
    const { code, errors } = await move(folder)
    expect([code, errors, changed(folder)]).toEqual([1, expect.stringContaining(advice), []])
  })

  it("believes the installed version more than the range", async () => {
    const files = {
      "package.json": manifest({ ...app, next: "latest", "next-auth": "beta" }),
      ".gitignore": "node_modules",
    }
    const folder = createProject({ ...files, "auth.ts": importOf("next-auth") })
    write(folder, "node_modules/next/package.json", '{ "version": "14.1.0" }')
    expect((await move(folder)).code).toBe(1)
    write(folder, "node_modules/next/package.json", '{ "version": "16.1.0" }')
    expect((await move(folder)).code).toBe(0)
    expect(read(folder, "auth.ts")).toBe(importOf("@latchkey/next"))
  })

  it("refuses outside of Git, without a package of Auth.js, and a folder that does not exist", async () => {
    const folder = createProject({ "package.json": manifest({ next: "16.0.0" }) })
    expect((await move(folder)).errors).toContain("nothing to move")
    expect((await move(folder, "missing")).errors).toContain("does not exist")
    expect((await move("/")).errors).toContain("not in a Git repository")
    expect((await move(folder, "a", "b")).code).toBe(2)
  })
})

describe("latchkey move without Git", () => {
  it("says so, and does not advise to commit", async () => {
    const folder = createProject({ "package.json": manifest(app), "auth.ts": importOf("next-auth") })
    const { code, errors } = await latchkey(["move", "--yes"], folder, { PATH: "/nowhere" })
    expect([code, errors]).toEqual([1, expect.stringContaining("Git could not be started")])
    expect(errors).not.toContain("Commit")
  })

  it("shows why Git refuses a repository, such as that of another user", async () => {
    const folder = createProject({ "package.json": manifest(app), "auth.ts": importOf("next-auth") })
    write(folder, ".git/HEAD", "broken")
    write(folder, "bin/git", '#!/bin/sh\necho "fatal: detected dubious ownership in repository" >&2\nexit 128\n')
    chmodSync(join(folder, "bin", "git"), 0o755)
    const { errors } = await latchkey(["move", "--yes"], folder, { PATH: join(folder, "bin") })
    expect(errors).toContain("fatal: detected dubious ownership")
  })
})

describe("the files that latchkey move may write", () => {
  it("MIG-16: are untouched while Git has changes that are not committed", async () => {
    const folder = createProject({ "package.json": manifest(app), "auth.ts": importOf("next-auth") })
    write(folder, "new.txt", "new")
    const { code, errors } = await move(folder)
    expect([code, errors]).toEqual([1, expect.stringContaining("not committed")])
    expect(read(folder, "auth.ts")).toBe(importOf("next-auth"))
  })

  it("MIG-16: are no links, and nothing behind a link", async () => {
    const outside = createProject({ "auth.ts": importOf("next-auth"), "package.json": manifest(app) })
    const folder = createProject({ "package.json": manifest(app), "auth.ts": importOf("next-auth") })
    symlinkSync(outside, join(folder, "shared"))
    symlinkSync(join(outside, "auth.ts"), join(folder, "linked.ts"))
    commit(folder)
    expect((await move(folder)).code).toBe(0)
    expect([changed(outside), read(folder, "auth.ts")]).toEqual([[], importOf(four)])
  })

  it("MIG-16: are those of the folder itself, if it is named by a link", async () => {
    const folder = createProject({ "package.json": manifest(app), "auth.ts": importOf("next-auth") })
    const other = createProject({ "a.txt": "" })
    symlinkSync(folder, join(other, "app"))
    expect((await move(other, "app")).code).toBe(0)
    expect(read(folder, "auth.ts")).toBe(importOf(four))
  })

  it("MIG-16: are none of a submodule, and none that Git ignores", async () => {
    const part = createProject({ "package.json": manifest(app), "auth.ts": importOf("next-auth") })
    const folder = createProject({
      "package.json": manifest(app),
      "auth.ts": importOf("next-auth"),
      ".gitignore": "build",
    })
    git(folder, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", part, "part")
    commit(folder)
    write(folder, "build/auth.ts", importOf("next-auth"))
    expect((await move(folder)).code).toBe(0)
    expect([read(folder, "part/auth.ts"), read(folder, "build/auth.ts")]).toEqual(Array(2).fill(importOf("next-auth")))
    expect(changed(folder)).toEqual(["M auth.ts", "M package.json"])
  })

  it("MIG-16: are not larger than 1 MiB, and UTF-8; the others are asked about, and the old package stays", async () => {
    const large = `${importOf("next-auth")}//${"x".repeat(5 * 1024 * 1024)}`
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("next-auth")])
    const folder = createProject({ "package.json": manifest(app), "large.ts": large, "other.ts": utf16 })
    const { output } = await move(folder)
    expect(output).toContain("large.ts:1  the file cannot be read")
    expect(output).toContain("other.ts:1  the file cannot be read")
    expect([read(folder, "large.ts") === large, changed(folder)]).toEqual([true, []])
  })

  it("MIG-16: keep their mode, line ends, byte order mark and formatting", async () => {
    const crlf = (text: string) => `\uFEFF${text.replaceAll("\n", "\r\n")}`
    const json = (name: string) => crlf(`{\n\t"dependencies": {\n\t\t"a":"1",\n\t\t${name},\n\t\t"next" : "16"\n\t}\n}`)
    const folder = createProject({
      "package.json": json('"next-auth":  "4.24.0"'),
      "auth.mjs": crlf(importOf("next-auth")),
    })
    chmodSync(join(folder, "auth.mjs"), 0o755)
    commit(folder)
    expect((await move(folder)).code).toBe(0)
    expect(read(folder, "auth.mjs")).toBe(crlf(importOf(four)))
    expect(statSync(join(folder, "auth.mjs")).mode & 0o777).toBe(0o755)
    const own = ["core", "next"].map((name) => `"@latchkey/${name}": "^0.1.0"`).join(",\n\t\t")
    expect(read(folder, "package.json")).toBe(json(own))
  })

  it("MIG-16: are whole after the process was killed, and Git shows the rest", async () => {
    const names = Array.from({ length: 300 }, (_, index) => `src/file-${index}.ts`)
    const rest = "x".repeat(20_000)
    const before = `${importOf("next-auth")}//${rest}\n`
    const folder = createProject({
      "package.json": manifest(app),
      ...Object.fromEntries(names.map((name) => [name, before])),
    })
    const running = latchkeyProcess(folder)
    const ended = once(running, "close")
    const isStarted = () => read(folder, "src/file-0.ts") !== before
    while (!isStarted()) await new Promise((resolve) => setImmediate(resolve))
    running.kill("SIGKILL")
    await ended
    const texts = new Set(names.map((name) => read(folder, name)))
    expect([...texts].filter((text) => text !== before && text !== before.replace("next-auth", four))).toEqual([])
    const leftover = readdirSync(join(folder, "src")).filter((name) => name.endsWith(".latchkey-new"))
    expect(leftover.length).toBeLessThanOrEqual(1)
    expect((await move(folder)).errors).toContain("not committed")
  })
})

function latchkeyProcess(folder: string) {
  const hooks = join(import.meta.dirname, "..", "..", "..", "kysely-adapter", "test", "racer", "typescript-sources.mjs")
  const main = join(import.meta.dirname, "..", "..", "src", "main.ts")
  const command = ["--conditions=@latchkey/source", "--import", hooks, main, "move", "--yes", "--no-install"]
  return spawn(process.execPath, command, { cwd: folder, stdio: "ignore" })
}

describe("latchkey move in a monorepo", () => {
  it("changes the manifest of each workspace by its own version, and the catalog of pnpm", async () => {
    const folder = createProject({
      "package.json": manifest({ turbo: "2" }),
      "pnpm-workspace.yaml": "packages:\n  - apps/*\ncatalog:\n  next: ^16\n  next-auth: ^4.24.0\n  zod: ^4\n",
      "apps/old/package.json": manifest({ next: "catalog:", "next-auth": "catalog:" }),
      "apps/old/auth.ts": importOf("next-auth"),
      "apps/old/tsconfig.json":
        '{\n  // ours\n  "extends": "../../tsconfig.base.json",\n  "compilerOptions": { "strict": true, },\n}\n',
      "tsconfig.base.json": '{ "compilerOptions": { "module": "esnext", "moduleResolution": "node" } }',
      "apps/new/package.json": manifest({ next: "16", "next-auth": "5.0.0-beta.31", "@auth/core": "0.41.0" }),
      "apps/new/auth.ts": importOf("next-auth"),
      "apps/none/package.json": manifest({ zod: "4" }),
      "turbo.json": '{\n  "globalEnv": [\n    "NEXTAUTH_SECRET",\n    "A"\n  ]\n}\n',
    })
    expect((await move(folder)).code).toBe(0)
    expect(read(folder, "pnpm-workspace.yaml")).toBe(
      'packages:\n  - apps/*\ncatalog:\n  next: ^16\n  "@latchkey/core": ^0.1.0\n  "@latchkey/next": ^0.1.0\n  zod: ^4\n',
    )
    expect(JSON.parse(read(folder, "apps/old/package.json")).dependencies).toEqual({
      next: "catalog:",
      "@latchkey/core": "catalog:",
      "@latchkey/next": "catalog:",
    })
    expect(JSON.parse(read(folder, "apps/new/package.json")).dependencies).toEqual({
      next: "16",
      "@latchkey/core": "^0.1.0",
      "@latchkey/next": "^0.1.0",
    })
    expect([read(folder, "apps/old/auth.ts"), read(folder, "apps/new/auth.ts")]).toEqual([
      importOf(four),
      importOf("@latchkey/next"),
    ])
    expect(read(folder, "apps/old/tsconfig.json")).toContain(
      '"compilerOptions": { "moduleResolution": "bundler", "strict": true, }',
    )
    expect(read(folder, "tsconfig.base.json")).toContain('"node"')
    expect(read(folder, "turbo.json")).toBe(
      '{\n  "globalEnv": [\n    "NEXTAUTH_SECRET",\n    "AUTH_SECRET",\n    "A"\n  ]\n}\n',
    )
    expect(changed(folder).some((line) => line.includes("none"))).toBe(false)
  })

  it.each([
    [["a", "next-auth", "@auth/core"], [], ["a"]],
    [["a", "@auth/core", "next-auth"], ["@latchkey/core"], ["a", "@latchkey/core"]],
    [["@auth/core", "next-auth"], [], []],
    [["@auth/core", "next-auth", "z"], [], ["z"]],
    [["@auth/core", "a", "next-auth"], ["@latchkey/core"], ["@latchkey/core", "a"]],
  ])("makes JSON of a manifest with %j and %j", (names, added, expected) => {
    const before = manifest(Object.fromEntries(names.map((name) => [name, "1"])))
    const after: { readonly dependencies: object } = JSON.parse(
      moveManifest(before, { added: new Set(added), kept: new Set(), range: "^1" }),
    )
    expect(Object.keys(after.dependencies)).toEqual(expected)
  })

  it("keeps the old package while a file or an adapter needs it, and asks", async () => {
    const needs = 'import a from "next-auth/core"\n'
    const folder = createProject({
      "package.json": manifest(app),
      "auth.ts": `${importOf("next-auth")}${needs}`,
    })
    expect((await move(folder)).output).toContain("an old package stays")
    expect(read(folder, "package.json")).toContain('"next-auth": "4.24.13"')
    const adapted = createProject({
      "package.json": manifest({ ...app, "@next-auth/prisma-adapter": "1.0.7" }),
      "auth.ts": importOf("next-auth"),
    })
    await move(adapted)
    expect(read(adapted, "package.json")).toContain('"next-auth": "4.24.13"')
  })

  it("leaves a tsconfig alone that makes CommonJS, and asks", async () => {
    const config = '{ "compilerOptions": { "module": "commonjs", "moduleResolution": "node" } }\n'
    const folder = createProject({
      "package.json": manifest(app),
      "auth.ts": importOf("next-auth"),
      "tsconfig.json": config,
    })
    expect((await move(folder)).output).toContain("tsconfig.json:1  moduleResolution cannot be changed")
    expect(read(folder, "tsconfig.json")).toBe(config)
  })

  it("renames variables in examples and compose files, and never in files with values, or if the app reads them", async () => {
    const files = {
      "package.json": manifest(app),
      ".env.example": "# NEXTAUTH_URL=http://localhost:3000\nNEXTAUTH_SECRET=\n",
      ".env.production": "NEXTAUTH_SECRET=a value\n",
      "compose.yaml":
        'services:\n  app:\n    environment:\n      - NEXTAUTH_URL=http://app\n      NEXTAUTH_SECRET: "a"\n',
      "auth.ts": importOf("next-auth"),
    }
    const folder = createProject(files)
    await move(folder)
    expect(read(folder, ".env.example")).toBe("# AUTH_URL=http://localhost:3000\nAUTH_SECRET=\n")
    expect(read(folder, ".env.production")).toBe(files[".env.production"])
    expect(read(folder, "compose.yaml")).toBe(files["compose.yaml"].replaceAll("NEXTAUTH_", "AUTH_"))
    const reader = createProject({ ...files, "env.ts": "export const a = process.env.NEXTAUTH_SECRET\n" })
    await move(reader)
    expect(read(reader, ".env.example")).toBe("# AUTH_URL=http://localhost:3000\nNEXTAUTH_SECRET=\n")
  })

  it("installs with the package manager of the project, compiles with its compiler, and shows what is left", async () => {
    const compiler = "console.log('auth.ts(1,1): error TS2307: Cannot find module'); process.exit(2)\n"
    const folder = createProject({
      "package.json": manifest(app),
      "auth.ts": importOf("next-auth"),
      "tsconfig.json": "{}",
      "pnpm-lock.yaml": "",
      ".gitignore": "node_modules\nbin\ninstalled\n",
    })
    write(folder, "node_modules/typescript/bin/tsc", compiler)
    mkdirSync(join(folder, "bin"))
    write(folder, "bin/pnpm", '#!/bin/sh\necho "$1" > installed\n')
    chmodSync(join(folder, "bin", "pnpm"), 0o755)
    const { code, output } = await latchkey(["move", "--yes"], folder, {
      PATH: `${join(folder, "bin")}:${process.env["PATH"]}`,
    })
    expect([code, existsSync(join(folder, "installed"))]).toEqual([1, true])
    expect(output).toContain("tsc --noEmit: 1 errors")
    expect(output).toContain("auth.ts(1,1): error TS2307")
  })

  it("installs and compiles a package of a monorepo with the tools of its root", async () => {
    const folder = createProject({
      "pnpm-lock.yaml": "",
      "pnpm-workspace.yaml": "packages: [apps/*]\n",
      "apps/web/package.json": manifest(app),
      "apps/web/auth.ts": importOf("next-auth"),
      "apps/web/tsconfig.json": "{}",
      ".gitignore": "node_modules\nbin\ninstalled\n",
    })
    write(folder, "node_modules/typescript/bin/tsc", "process.exit(0)\n")
    for (const name of ["npm", "pnpm"]) {
      write(folder, `bin/${name}`, `#!/bin/sh\necho "${name} $1" >> "${folder}/installed"\n`)
      chmodSync(join(folder, "bin", name), 0o755)
    }
    const { code, output } = await latchkey(["move", "apps/web", "--yes"], folder, {
      PATH: `${join(folder, "bin")}:${process.env["PATH"]}`,
    })
    expect([code, read(folder, "installed")]).toEqual([0, "pnpm install\n"])
    expect(output).toContain("the app compiles")
  })

  it("does not say that an app compiles that has no TypeScript", async () => {
    const folder = createProject({
      "package.json": manifest(app),
      "auth.js": importOf("next-auth"),
      ".gitignore": "bin\n",
    })
    write(folder, "bin/npm", "#!/bin/sh\n")
    chmodSync(join(folder, "bin", "npm"), 0o755)
    const { code, output } = await latchkey(["move", "--yes"], folder, {
      PATH: `${join(folder, "bin")}:${process.env["PATH"]}`,
    })
    expect([code, output]).toEqual([0, expect.stringContaining("The packages are installed.")])
    expect(output).not.toContain("compiles")
  })
})
