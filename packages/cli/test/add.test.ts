import fs, {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { type Outcome, runHere } from "./command.js"

const root = mkdtempSync(join(tmpdir(), "latchkey-add-"))
afterAll(() => rmSync(root, { recursive: true }))

function makeApp(dependencies: readonly string[], folders: readonly string[] = []): string {
  const folder = mkdtempSync(join(root, "app-"))
  const manifest = { dependencies: Object.fromEntries(dependencies.map((name) => [name, "*"])) }
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest))
  for (const name of folders) mkdirSync(join(folder, name))
  return folder
}

const add = (folder: string, ...args: readonly string[]): Promise<Outcome> =>
  runHere(["add", ...args], { folder, environment: {} })

const list = (...path: readonly string[]) => readdirSync(join(...path)).sort()

describe("latchkey add", () => {
  it.each([
    ["Next.js", ["next", "react"], [], "components/auth/sign-in.tsx"],
    ["React with Vite", ["react"], ["src"], "src/components/auth/sign-in.tsx"],
    ["Nuxt", ["nuxt", "vue"], ["app"], "app/components/auth/SignIn.vue"],
    ["Vue with Vite", ["vue"], ["src"], "src/components/auth/SignIn.vue"],
    ["SvelteKit", ["@sveltejs/kit", "svelte"], ["src"], "src/lib/components/auth/SignIn.svelte"],
  ])("copies the sign-in with what it imports (%s)", async (_, dependencies, folders, path) => {
    const [to, file] = [dirname(path), basename(path)]
    const app = makeApp(dependencies, folders)
    const { code, output, errors } = await add(app, "sign-in")
    expect([code, errors]).toEqual([0, ""])
    const files = list(app, to)
    expect(files).toContain(file)
    for (const name of files) {
      expect(output).toContain(`+ ${to}/${name}`)
      const imported = [...readFileSync(join(app, to, name), "utf8").matchAll(/"\.\/([^"]+)"/g)].map(([, path]) => path)
      for (const path of imported) expect(files.some((one) => one === path || one.startsWith(`${path}.ts`))).toBe(true)
    }
    expect(output).toContain(`import ${file.endsWith(".tsx") ? "{ SignIn }" : "SignIn"} from`)
  })

  it.each([
    ["example-next", "components/auth", []],
    ["example-nuxt", "app/components/auth", ["app"]],
    ["example-sveltekit", "src/lib/components/auth", ["src"]],
  ])("copies what an example has, word for word (%s)", async (name, to, folders) => {
    const example = join(import.meta.dirname, "..", "..", "..", "apps", name)
    const app = makeApp([], folders)
    writeFileSync(join(app, "package.json"), readFileSync(join(example, "package.json")))
    await add(app, "sign-in", "sign-up", "reset-password", "--language", "de")
    expect(list(example, to)).toEqual(list(app, to))
    for (const file of list(app, to)) {
      expect(readFileSync(join(example, to, file), "utf8"), file).toBe(readFileSync(join(app, to, file), "utf8"))
    }
  })

  it.each([
    ["react", ["src"], [], 'from a file in src:\n  import { SignIn } from "./components/auth/sign-in"'],
    ["nuxt", ["app"], [], 'from a file in app:\n  import SignIn from "./components/auth/SignIn.vue"'],
    ["@sveltejs/kit", ["src"], [], 'from a file in src:\n  import SignIn from "./lib/components/auth/SignIn.svelte"'],
    ["next", [], [], 'from a file in this folder:\n  import { SignIn } from "./components/auth/sign-in"'],
    ["vue", ["src"], ["--to", "src"], 'from a file in src:\n  import SignIn from "./SignIn.vue"'],
  ] as const)("prints an import that resolves as it is (%s)", async (...[framework, folders, to, line]) => {
    const app = makeApp([framework], folders)
    expect((await add(app, "sign-in", ...to)).output).toContain(line)
  })

  it.each([
    ["version 2 has $lib", { dependencies: { "@sveltejs/kit": "^2.9.0" } }, "$lib/components/auth/SignIn.svelte"],
    [
      "version 3 has #lib where package.json names it",
      { imports: { "#lib/*": "./src/lib/*" }, devDependencies: { "@sveltejs/kit": "3.2.0" } },
      "#lib/components/auth/SignIn.svelte",
    ],
    [
      "version 3 has none of its own",
      { devDependencies: { "@sveltejs/kit": "^3.2.0" } },
      "./lib/components/auth/SignIn.svelte",
    ],
  ])("prints an import that SvelteKit knows: %s", async (_, manifest, from) => {
    const app = makeApp([], ["src"])
    writeFileSync(join(app, "package.json"), JSON.stringify(manifest))
    expect((await add(app, "sign-in")).output).toContain(`import SignIn from "${from}"`)
  })

  it("copies several components, whose shared files are there once", async () => {
    const app = makeApp(["react", "@latchkey/react"])
    expect(await add(app, "sign-in", "account", "user-button")).toMatchObject({ code: 0, errors: "" })
    expect(list(app, "components", "auth")).toEqual([
      "account.tsx",
      "auth.css",
      "form.tsx",
      "second-factor.tsx",
      "sign-in.tsx",
      "texts.en.ts",
      "texts.ts",
      "user-button.tsx",
    ])
  })

  it.each(["react", "vue", "svelte"])(
    "writes the utilities of Tailwind CSS where the app has it (%s)",
    async (name) => {
      const app = makeApp([name, "tailwindcss"])
      const all = ["sign-in", "sign-up", "reset-password", "account", "user-button"]
      expect((await add(app, ...all, "--to", "auth")).code).toBe(0)
      const files = list(app, "auth")
      expect(files).not.toContain("auth.css")
      for (const file of files) expect(readFileSync(join(app, "auth", file), "utf8")).not.toMatch(/auth-|auth\.css/)
      const plain = makeApp([name, "tailwindcss"])
      await add(plain, "sign-in", "--css", "--to", "auth")
      expect(list(plain, "auth")).toContain("auth.css")
    },
  )

  it("leaves files of the app alone, and replaces them with --overwrite", async () => {
    const app = makeApp(["react"])
    await add(app, "sign-in")
    const file = join(app, "components", "auth", "texts.en.ts")
    writeFileSync(file, "export const texts = {}\n")
    rmSync(join(app, "components", "auth", "form.tsx"))
    const refused = await add(app, "sign-in")
    expect(refused).toEqual({
      code: 1,
      output: "",
      errors:
        "Nothing was written, because these files have other contents:\ncomponents/auth/texts.en.ts\nReplace them with --overwrite, or choose a folder with --to.\n",
    })
    expect(existsSync(join(app, "components", "auth", "form.tsx"))).toBe(false)
    expect(readFileSync(file, "utf8")).toBe("export const texts = {}\n")
    expect(await add(app, "sign-in", "--overwrite")).toMatchObject({ code: 0 })
    expect(readFileSync(file, "utf8")).toContain("Continue")
    const again = await add(app, "sign-in")
    expect([again.code, again.output]).toEqual([0, expect.stringContaining("6 of 6 files are there already.")])
  })

  it.each([
    ["where nothing was", false],
    ["over former files", true],
  ])("writes all files or none, also if the last but one cannot be written (%s)", async (_, isThere) => {
    const app = makeApp(["react"])
    const folder = join(app, "components", "auth")
    if (isThere) await add(app, "sign-in")
    const names = isThere ? list(folder) : []
    for (const name of names) {
      writeFileSync(join(folder, name), `former ${name}`)
      fs.chmodSync(join(folder, name), 0o600)
    }
    const { renameSync } = fs
    let renamed = 0
    fs.renameSync = (from, to) => {
      renamed += 1
      if (renamed === 4) throw new Error("The disk is gone.")
      renameSync(from, to)
    }
    syncBuiltinESMExports()
    const { code, errors } = await add(app, "sign-in", "--overwrite").finally(() => {
      fs.renameSync = renameSync
      syncBuiltinESMExports()
    })
    expect([code, errors]).toEqual([1, expect.stringContaining("The disk is gone.")])
    if (!isThere) return expect(list(app)).toEqual(["package.json"])
    expect(list(folder)).toEqual(names)
    for (const name of names) expect(readFileSync(join(folder, name), "utf8")).toBe(`former ${name}`)
    expect(await add(app, "sign-in", "--overwrite")).toMatchObject({ code: 0 })
    expect(list(folder)).toEqual(names)
    for (const name of names) expect(fs.statSync(join(folder, name)).mode & 0o777).toBe(0o600)
  })

  it("replaces nothing if a file cannot be written beside those that are there", async () => {
    const app = makeApp(["react"])
    const folder = join(app, "components", "auth")
    await add(app, "sign-in")
    writeFileSync(join(folder, "sign-in.tsx"), "former")
    mkdirSync(join(folder, ".texts.ts.latchkey-new"))
    writeFileSync(join(folder, "texts.ts"), "former")
    const { code, errors } = await add(app, "sign-in", "--overwrite")
    expect([code, errors]).toEqual([1, expect.stringContaining(".texts.ts.latchkey-new")])
    for (const name of ["sign-in.tsx", "texts.ts"]) expect(readFileSync(join(folder, name), "utf8")).toBe("former")
  })

  it.each([
    ["react", "sign-up.tsx"],
    ["vue", "SignUp.vue"],
    ["svelte", "SignUp.svelte"],
  ])("adds texts in other languages, with which it is the same component (%s)", async (framework, file) => {
    const app = makeApp([framework])
    await add(app, "sign-up", "reset-password", "--to", "english")
    const { code } = await add(app, "sign-up", "reset-password", "--language", "de", "--language", "ar", "--to", "all")
    expect(code).toBe(0)
    expect(list(app, "all")).toEqual([...list(app, "english"), "texts.ar.ts", "texts.de.ts"].sort())
    const [english, all] = ["english", "all"].map((folder) => readFileSync(join(app, folder, "texts.ts"), "utf8"))
    expect(all).toBe(
      `import { ar } from "./texts.ar"\nimport { de } from "./texts.de"\n${english?.replace("{ en }", "{ en, ar, de }")}`,
    )
    expect(all).not.toBe(english)
    const read = (folder: string) => readFileSync(join(app, folder, file), "utf8")
    expect(read("all")).toBe(read("english"))
  })

  it.each([
    ["a folder outside", (): string => "../elsewhere"],
    [
      "a link that leads outside",
      (app: string): string => {
        symlinkSync(mkdtempSync(join(root, "elsewhere-")), join(app, "components"))
        return "components/auth"
      },
    ],
  ])("writes nothing outside the app: %s", async (_, prepare) => {
    const app = makeApp(["react"])
    const { code, errors } = await add(app, "sign-in", "--to", prepare(app))
    expect([code, errors]).toEqual([1, expect.stringContaining("is not in this folder")])
    expect(list(app, ".").filter((name) => name !== "components")).toEqual(["package.json"])
  })

  it("writes nothing through a link that has the name of what it writes first", async () => {
    const app = makeApp(["react"])
    mkdirSync(join(app, "components", "auth"), { recursive: true })
    const target = join(root, "of-the-link")
    writeFileSync(target, "mine")
    symlinkSync(target, join(app, "components", "auth", ".sign-in.tsx.latchkey-new"))
    expect(await add(app, "sign-in")).toMatchObject({ code: 0 })
    expect(readFileSync(target, "utf8")).toBe("mine")
    expect(list(app, "components", "auth").filter((name) => name.startsWith("."))).toEqual([])
  })

  it("writes nothing where a folder has the name of a file", async () => {
    const app = makeApp(["react"])
    mkdirSync(join(app, "components", "auth", "auth.css"), { recursive: true })
    const { code, errors } = await add(app, "sign-in")
    expect([code, errors]).toEqual([1, expect.stringContaining("components/auth/auth.css is not a file")])
    expect(list(app, "components", "auth")).toEqual(["auth.css"])
  })

  it("writes nothing where a link to nothing has the name of a file, and leaves the link", async () => {
    const app = makeApp(["react"])
    mkdirSync(join(app, "components", "auth"), { recursive: true })
    const [link, target] = [join(app, "components", "auth", "auth.css"), join(root, "nothing")]
    symlinkSync(target, link)
    const { code, errors } = await add(app, "sign-in", "--overwrite")
    expect([code, errors]).toEqual([1, expect.stringContaining("components/auth/auth.css is not a file")])
    expect([list(app, "components", "auth"), readlinkSync(link), existsSync(target)]).toEqual([
      ["auth.css"],
      target,
      false,
    ])
  })

  it.each([
    ["no component", ["react"], []],
    ["an unknown component", ["react"], ["sign-out"]],
    ["a path as a component", ["react"], ["../../package"]],
    ["no framework", [], ["sign-in"]],
    ["two frameworks", ["react", "vue"], ["sign-in"]],
    ["two frameworks by name", ["react"], ["sign-in", "--vue", "--svelte"]],
    ["a language without texts", ["react"], ["sign-in", "--language", "tlh"]],
    ["a path as a language", ["react"], ["sign-in", "--language", "../texts"]],
    ["both styles", ["react"], ["sign-in", "--css", "--tailwind"]],
    ["an unknown option", ["react"], ["sign-in", "--angular"]],
  ])("refuses %s, and says what to write", async (_, dependencies, args) => {
    const app = makeApp(dependencies)
    const { code, output, errors } = await add(app, ...args)
    expect([code, output]).toEqual([2, ""])
    expect(errors.length).toBeGreaterThan(20)
    expect(list(app)).toEqual(["package.json"])
  })

  it("refuses a folder without an app, and a manifest that is no JSON", async () => {
    const empty = mkdtempSync(join(root, "empty-"))
    expect(await add(empty, "sign-in")).toMatchObject({ code: 2, errors: expect.stringContaining("no package.json") })
    writeFileSync(join(empty, "package.json"), "{")
    expect(await add(empty, "sign-in")).toMatchObject({ code: 2, errors: expect.stringContaining("no JSON") })
    writeFileSync(join(empty, "package.json"), "null")
    expect(await add(empty, "sign-in")).toMatchObject({ code: 2, errors: expect.stringContaining("--react") })
  })
})
