import { chmod, mkdtemp, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { type DataFolder, openDataFolder } from "./data-folder.js"
import { loadSecrets, readDemoOptions } from "./settings.js"

let path: string
let folder: DataFolder

beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), "latchkey-demo-"))
  folder = await openDataFolder(join(path, "created", "by", "the", "demo"))
})

afterEach(() => rm(path, { recursive: true }))

describe("readDemoOptions", () => {
  it.each(["http", "-1", "65536", "3000.5", "1e3", " 80"])(
    "rejects the port %j with an error that contains the variable's name",
    (text) => {
      expect(() => readDemoOptions({ PORT: text }, "/data")).toThrow(/^PORT must be/)
      expect(() => readDemoOptions({ LATCHKEY_DEMO_SMTP_PORT: text }, "/data")).toThrow(
        /^LATCHKEY_DEMO_SMTP_PORT must be/,
      )
    },
  )

  it("omits ports that are not set in the environment", () => {
    expect(readDemoOptions({ PORT: "" }, "/data")).toEqual({ dataFolder: "/data", ports: {} })
  })

  it("reads the data folder, the database and every port", () => {
    const env = {
      LATCHKEY_DEMO_DATA: "/other",
      LATCHKEY_DEMO_DATABASE: "redis://127.0.0.1",
      PORT: "8080",
      LATCHKEY_DEMO_IDP_PORT: "0",
      LATCHKEY_DEMO_SMTP_PORT: "65535",
    }
    expect(readDemoOptions(env, "/data")).toEqual({
      dataFolder: "/other",
      database: "redis://127.0.0.1",
      ports: { app: 8080, identityProvider: 0, smtp: 65_535 },
    })
  })
})

describe("loadSecrets", () => {
  it("rejects a damaged file with an error that says how to fix it and does not quote the file", async () => {
    await writeFile(folder.file("secrets.json"), '{"app": "a-secret-text')
    await expect(loadSecrets(folder)).rejects.toThrow(/secrets\.json is damaged\. Delete it/)
    await expect(loadSecrets(folder)).rejects.not.toThrow(/a-secret-text/)
  })

  it("rejects a file with a missing or short secret", async () => {
    await writeFile(folder.file("secrets.json"), JSON.stringify({ app: "short", client: "short", cookies: "short" }))
    await expect(loadSecrets(folder)).rejects.toThrow(/is damaged/)
  })

  it("creates different secrets of at least 32 characters", async () => {
    const { app, client, cookies, signingKey } = await loadSecrets(folder)
    expect(new Set([app, client, cookies]).size).toBe(3)
    for (const secret of [app, client, cookies]) expect(secret.length).toBeGreaterThanOrEqual(32)
    expect(signingKey).toMatchObject({ kty: "RSA", alg: "RS256", use: "sig" })
  })

  it("returns the same secrets on the next start", async () => {
    expect(await loadSecrets(folder)).toEqual(await loadSecrets(folder))
  })

  it("returns the same secrets to two demos that start at the same time", async () => {
    const [one, other] = await Promise.all([loadSecrets(folder), loadSecrets(folder)])
    expect(one).toEqual(other)
  })

  it.skipIf(process.platform === "win32")("makes the file and the folder readable by the owner only", async () => {
    await loadSecrets(folder)
    expect((await stat(folder.file("secrets.json"))).mode & 0o777).toBe(0o600)
    expect((await stat(folder.path)).mode & 0o777).toBe(0o700)
  })

  it.skipIf(process.platform === "win32")("restores the mode of a file that others can read", async () => {
    await loadSecrets(folder)
    await chmod(folder.file("secrets.json"), 0o644)
    await loadSecrets(folder)
    expect((await stat(folder.file("secrets.json"))).mode & 0o777).toBe(0o600)
  })
})

describe("openDataFolder", () => {
  it("throws an error with the path and the variable's name when the folder cannot be created", async () => {
    await writeFile(join(path, "a-file"), "")
    await expect(openDataFolder(join(path, "a-file", "data"))).rejects.toThrow(/a-file.*LATCHKEY_DEMO_DATA/)
  })
})
