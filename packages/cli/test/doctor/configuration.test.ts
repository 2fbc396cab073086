import { afterAll, describe, expect, it } from "vitest"
import { diagnose, production, removeApps, writeApp } from "./app.js"

afterAll(removeApps)

const config = "export default { providers: [] }"

// Every file here is loaded by a process of its own. The others are in `test/servers`.
describe("latchkey doctor --config", () => {
  it("finds nothing in a configuration without a mistake", async () => {
    expect(await diagnose(writeApp({ "auth.ts": config }))).toMatchObject({ code: 0, findings: [], unchecked: [] })
  })

  it("names the file and the line to change, and no secret", async () => {
    const folder = writeApp({ ".env.local": "A=1\nAUTH_SECRET=tiny-canary\n", "auth.ts": config })
    const { code, findings, text } = await diagnose(folder, { ...production, AUTH_SECRET: undefined })
    const fix = { where: "environment", file: ".env.local", line: 2 }
    expect([code, findings]).toMatchObject([1, [{ code: "secret-weak", fixes: [fix] }]])
    expect(text).not.toContain("tiny-canary")
  })

  it("reads a variable behind the byte order mark of a file, as frameworks do", async () => {
    const folder = writeApp({ ".env": `\uFEFFAUTH_SECRET=${production.AUTH_SECRET}\r\n`, "auth.ts": config })
    expect((await diagnose(folder, { ...production, AUTH_SECRET: undefined })).findings).toEqual([])
  })

  it("names a missing address, unless the platform has one", async () => {
    const environment = { ...production, AUTH_URL: undefined }
    const { code, findings } = await diagnose(writeApp({ "auth.ts": config }), environment)
    const fixes = [{ where: "environment", text: "AUTH_URL=https://app.example" }, { where: "environment" }]
    expect([code, findings]).toMatchObject([0, [{ code: "host-untrusted", severity: "warning", fixes }]])
    const trusting = { ...environment, AUTH_TRUST_HOST: "true" }
    expect((await diagnose(writeApp({ "auth.ts": config }), trusting)).findings).toEqual([])
    expect((await diagnose(writeApp({ "auth.ts": config, "vercel.json": "{}" }), environment)).findings).toEqual([])
  })

  it("DOC-07: refuses a configuration that starts a server, and shows nothing of what it prints", async () => {
    const text = `import { createServer } from "node:http"
      console.log(process.env.AUTH_SECRET)
      createServer().listen(0)
      ${config}`
    const { code, findings, unchecked, text: shown } = await diagnose(writeApp({ "auth.ts": text }))
    expect([code, findings]).toEqual([2, []])
    expect(unchecked[0]?.reason).toBe("auth.ts starts a server. Name the file that has the configuration alone.")
    expect(shown).not.toContain(production.AUTH_SECRET)
  })
})
