import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe } from "vitest"
import { describePlanted } from "../servers/doctor/describe-planted.js"
import type { PlantedApp } from "../servers/doctor/stage.js"
import { type InstalledExample, readStarts } from "./example.js"
import { runScript, startApp } from "./running-app.js"

// The example of Next.js, built once by its own script, and started by its own script with other variables for each mistake.

const example = readStarts()

/** What the build and the starts need, besides what is planted. */
const others = { EMAIL_SERVER: "smtp://127.0.0.1:9", EMAIL_FROM: "app@app.example", DATA_FILE: ":memory:" }

/** Changes of the example: the answers to the doctor, and what a mistake of its code would be. */
const edits: readonly (readonly [file: string, from: string, to: string])[] = [
  [
    "auth.ts",
    'import { accessTokens } from "@latchkey/core/access-tokens"\n',
    'import { accessTokens } from "@latchkey/core/access-tokens"\nimport { answerDoctor } from "@latchkey/core/doctor"\n',
  ],
  [
    "auth.ts",
    "const adapter = ",
    'const { trustProxy, basePath } = JSON.parse(process.env.DOCTOR_APP ?? "{}")\n\nconst adapter = ',
  ],
  [
    "auth.ts",
    "    adapter,\n",
    "    adapter,\n    doctor: answerDoctor(),\n    ...(trustProxy && { trustedProxies: [trustProxy] }),\n    ...(basePath && { basePath }),\n",
  ],
  [
    "proxy.ts",
    "export { auth as proxy }",
    `const wall = (request: Request) =>
  request.url.includes("/login") ? undefined : Response.redirect(new URL("/login?from=app", request.url))

export const proxy = JSON.parse(process.env.DOCTOR_APP ?? "{}").hasWall ? wall : auth`,
  ],
]

async function openNext(): Promise<PlantedApp> {
  const folder = join(example.folder, ".doctor")
  rmSync(folder, { recursive: true, force: true })
  // Below the example, whose packages it uses.
  const folders = ["app", "components", "pages"]
  for (const name of [...folders, "auth.ts", "demo-id.ts", "package.json", "proxy.ts", "tsconfig.json", "users.ts"])
    cpSync(join(example.folder, name), join(folder, name), { recursive: true })
  for (const [file, from, to] of edits) {
    const text = readFileSync(join(folder, file), "utf8")
    if (!text.includes(from)) throw new Error(`${file} of the example has no ${from}`)
    writeFileSync(
      join(folder, file),
      text.replace(from, () => to),
    )
  }
  const app: InstalledExample = { name: example.name, folder, scripts: ["build", "start"] }
  await runScript(app, "build", { ...others, NODE_ENV: "production" })
  return {
    name: "Next.js",
    basePath: "/api/auth",
    otherPath: "/auth",
    start(origin, { DOCTOR_APP = "{}", ...env }) {
      const { port, provider, clientId = "known" } = JSON.parse(DOCTOR_APP)
      const client = { AUTH_DEMO_ID: clientId, AUTH_DEMO_SECRET: "s3cret-of-the-client", AUTH_DEMO_ISSUER: provider }
      return startApp(app, origin, { ...others, ...client, PORT: String(port), DOCTOR_APP, ...env })
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}

describe("latchkey doctor of the Next.js example", () => {
  const isShort = process.env["LATCHKEY_SHORT"] === "true"
  describePlanted({ app: "Next.js", open: openNext, isShort })
})
