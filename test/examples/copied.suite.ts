import { execFile } from "node:child_process"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, describe, expect, it } from "vitest"
import { run } from "../../packages/cli/src/run.js"
import { readExample } from "./example.js"

// All components of `latchkey add`, checked by the framework's own compiler as strictly as it can, with the packages of an
// example.

const { name, folder: example } = readExample()
const folder = join(example, ".copied")
const components = ["sign-in", "sign-up", "reset-password", "account", "user-button"]

/** All that apps may ask of TypeScript. */
const strict = {
  ...{ strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, noImplicitOverride: true },
  ...{ noImplicitReturns: true, noUnusedLocals: true, noUnusedParameters: true, noFallthroughCasesInSwitch: true },
  ...{ verbatimModuleSyntax: true, isolatedModules: true, noUncheckedSideEffectImports: true, noEmit: true },
  ...{ target: "es2023", module: "esnext", moduleResolution: "bundler", lib: ["esnext", "dom", "dom.iterable"] },
}

interface Checker {
  readonly framework: string
  readonly command: readonly string[]
  /** Besides the strict ones. */
  readonly options: object
  readonly vueCompilerOptions?: object
}

const checkers: Readonly<Record<string, Checker>> = {
  "example-next": {
    framework: "react",
    command: ["tsc", "-p", "."],
    options: { jsx: "react-jsx", types: ["react"] },
  },
  "example-nuxt": {
    framework: "vue",
    command: ["vue-tsc", "-p", "."],
    options: { jsx: "preserve", types: [] },
    vueCompilerOptions: { strictTemplates: true },
  },
  "example-sveltekit": {
    framework: "svelte",
    command: ["svelte-check", "--workspace", ".", "--tsconfig", "./tsconfig.json", "--fail-on-warnings"],
    options: { types: ["svelte"] },
  },
}

describe(`the copied components in ${name}`, () => {
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it.each(["--css", "--tailwind"])(
    "pass the strictest check of the framework (%s)",
    async (style) => {
      const checker = checkers[name]
      if (!checker) throw new Error(`No checker for ${name}`)
      const { framework, command, options, vueCompilerOptions } = checker
      rmSync(folder, { recursive: true, force: true })
      mkdirSync(folder)
      writeFileSync(
        join(folder, "package.json"),
        JSON.stringify({ type: "module", dependencies: { [framework]: "*" } }),
      )
      writeFileSync(
        join(folder, "tsconfig.json"),
        JSON.stringify({ compilerOptions: { ...strict, ...options }, vueCompilerOptions, include: ["**/*"] }),
      )
      writeFileSync(join(folder, "styles.d.ts"), 'declare module "*.css"\n')
      const errors: string[] = []
      const context = { folder, environment: {}, print: () => {}, printError: (line: string) => void errors.push(line) }
      const code = await run(["add", ...components, "--language", "de", "--language", "ar", style], context)
      expect([code, errors]).toEqual([0, []])
      expect(await check(command)).toBe("")
    },
    180_000,
  )
})

/** @returns what the checker found wrong */
async function check([tool = "", ...args]: readonly string[]): Promise<string> {
  const path = join(example, "node_modules", ".bin", tool)
  return promisify(execFile)(path, args, { cwd: folder }).then(
    () => "",
    (error: { readonly stdout: string; readonly stderr: string }) => error.stdout + error.stderr,
  )
}
