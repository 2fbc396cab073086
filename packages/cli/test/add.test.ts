import {
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
    ["react", ["src"], [], 'from a file in src:\n  import { SignIn } from "./components/auth/sign-in"'],
    ["nuxt", ["app"], [], 'from a file in app:\n  import SignIn from "./components/auth/SignIn.vue"'],
    ["@sveltejs/kit", ["src"], [], 'Use it:\n  import SignIn from "$lib/components/auth/SignIn.svelte"'],
    ["next", [], [], 'from a file in this folder:\n  import { SignIn } from "./components/auth/sign-in"'],
    ["vue", ["src"], ["--to", "src"], 'from a file in src:\n  import SignIn from "./SignIn.vue"'],
  ] as const)("prints an import that resolves as it is (%s)", async (...[framework, folders, to, line]) => {
    const app = makeApp([framework], folders)
    expect((await add(app, "sign-in", ...to)).output).toContain(line)
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
      "texts.ts",
      "user-button.tsx",
    ])
  })

  it.each(["react", "vue", "svelte"])(
    "writes the utilities of Tailwind CSS where the app has it (%s)",
    async (name) => {
      const app = makeApp([name, "tailwindcss"])
      expect((await add(app, "sign-in", "account", "user-button", "--to", "auth")).code).toBe(0)
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
    const file = join(app, "components", "auth", "texts.ts")
    writeFileSync(file, "export const texts = {}\n")
    rmSync(join(app, "components", "auth", "form.tsx"))
    const refused = await add(app, "sign-in")
    expect(refused).toEqual({
      code: 1,
      output: "",
      errors:
        "Nothing was written, because these files have other contents:\ncomponents/auth/texts.ts\nReplace them with --overwrite, or choose a folder with --to.\n",
    })
    expect(existsSync(join(app, "components", "auth", "form.tsx"))).toBe(false)
    expect(readFileSync(file, "utf8")).toBe("export const texts = {}\n")
    expect(await add(app, "sign-in", "--overwrite")).toMatchObject({ code: 0 })
    expect(readFileSync(file, "utf8")).toContain("Continue")
    const again = await add(app, "sign-in")
    expect([again.code, again.output]).toEqual([0, expect.stringContaining("5 of 5 files are there already.")])
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
  })
})
