import { chmod, mkdtemp, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { type DataFolder, openDataFolder } from "./data-folder.js"
import { loadSecrets } from "./secrets.js"

let path: string
let folder: DataFolder

beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), "latchkey-demo-"))
  folder = await openDataFolder(join(path, "made", "by", "the", "demo"))
})

afterEach(() => rm(path, { recursive: true }))

describe("loadSecrets", () => {
  it("refuses a damaged file with words that say what to do and without what it holds", async () => {
    await writeFile(folder.file("secrets.json"), '{"app": "a-secret-text')
    await expect(loadSecrets(folder)).rejects.toThrow(/secrets\.json is damaged\. Delete it/)
    await expect(loadSecrets(folder)).rejects.not.toThrow(/a-secret-text/)
  })

  it("refuses a file in which a secret is missing or too short", async () => {
    await writeFile(folder.file("secrets.json"), JSON.stringify({ app: "short", client: "short", cookies: "short" }))
    await expect(loadSecrets(folder)).rejects.toThrow(/is damaged/)
  })

  it("makes secrets of at least 32 characters, each its own", async () => {
    const { app, client, cookies, signingKey } = await loadSecrets(folder)
    expect(new Set([app, client, cookies]).size).toBe(3)
    for (const secret of [app, client, cookies]) expect(secret.length).toBeGreaterThanOrEqual(32)
    expect(signingKey).toMatchObject({ kty: "RSA", alg: "RS256", use: "sig" })
  })

  it("gives the same secrets at the next start", async () => {
    expect(await loadSecrets(folder)).toEqual(await loadSecrets(folder))
  })

  it("gives two starts at the same moment the same secrets", async () => {
    const [one, other] = await Promise.all([loadSecrets(folder), loadSecrets(folder)])
    expect(one).toEqual(other)
  })

  it.skipIf(process.platform === "win32")("lets only the owner read the file and look into the folder", async () => {
    await loadSecrets(folder)
    expect((await stat(folder.file("secrets.json"))).mode & 0o777).toBe(0o600)
    expect((await stat(folder.path)).mode & 0o777).toBe(0o700)
  })

  it.skipIf(process.platform === "win32")("closes a file that a copy has left open to others", async () => {
    await loadSecrets(folder)
    await chmod(folder.file("secrets.json"), 0o644)
    await loadSecrets(folder)
    expect((await stat(folder.file("secrets.json"))).mode & 0o777).toBe(0o600)
  })
})

describe("openDataFolder", () => {
  it("names the folder and the variable when it cannot be made", async () => {
    await writeFile(join(path, "a-file"), "")
    await expect(openDataFolder(join(path, "a-file", "data"))).rejects.toThrow(/a-file.*LATCHKEY_DEMO_DATA/)
  })
})
