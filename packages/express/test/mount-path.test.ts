import type { Request, Response } from "express"
import { describe, expect, it } from "vitest"
import { findMountPath } from "../src/mount-path.js"
import { expresses } from "./expresses.js"
import { serve } from "./serve.js"

const tell = (req: Request, res: Response) => void res.send(`<${findMountPath(req)}>`)
const paths = [
  "/session",
  "/signin/github",
  "/callback/my%20provider",
  "/callback/a%2Fb",
  "/session/?x=/auth",
  "/auth",
  "//session",
]

describe.each(expresses)("findMountPath in $name", ({ name, express, wildcard }) => {
  async function mountPaths(app: ReturnType<typeof express>, prefix: string): Promise<readonly string[]> {
    const origin = await serve(app)
    return await Promise.all(paths.map(async (path) => await (await fetch(`${origin}${prefix}${path}`)).text()))
  }

  const everywhere = (mountPath: string) => paths.map(() => `<${mountPath}>`)

  it.each(["use", "all"] as const)("finds what stands before a wildcard under %s", async (method) => {
    expect(await mountPaths(express()[method](wildcard("/auth"), tell), "/auth")).toEqual(everywhere("/auth"))
  })

  it("finds a plain mount path", async () => {
    expect(await mountPaths(express().use("/auth", tell), "/auth")).toEqual(everywhere("/auth"))
  })

  it("finds a path of several segments", async () => {
    expect(await mountPaths(express().use(wildcard("/api/v1/auth"), tell), "/api/v1/auth")).toEqual(
      everywhere("/api/v1/auth"),
    )
  })

  it.each(["use", "all"] as const)("counts the mounts of a router and an app above, under %s", async (method) => {
    const router = express.Router()[method](wildcard("/auth"), tell)
    const inner = express().use("/v1", router)
    expect(await mountPaths(express().use("/api", inner), "/api/v1/auth")).toEqual(everywhere("/api/v1/auth"))
  })

  it("counts parameters and encoded characters before the wildcard as they were sent", async () => {
    const app = express().use(wildcard("/:tenant/auth"), tell)
    expect(await mountPaths(app, "/ac%20me/auth")).toEqual(everywhere("/ac%20me/auth"))
  })

  it("is not misled by a wildcard of a router above", async () => {
    const router = express.Router({ mergeParams: true }).use("/auth", tell)
    const app = express().use(name === "Express 5" ? "/*prefix/api" : "/*/api", router)
    const origin = await serve(app)
    expect(await (await fetch(`${origin}/a/b/api/auth/signin/github`)).text()).toBe("</a/b/api/auth>")
  })

  it("is empty when mounted for all paths", async () => {
    expect(await mountPaths(express().use(tell), "/auth")).toEqual(everywhere(""))
  })

  it("finds it for the mount path itself", async () => {
    const origin = await serve(
      express()
        .use(name === "Express 5" ? "/auth/{*splat}" : "/auth/*", tell)
        .use("/auth", tell),
    )
    expect(await (await fetch(`${origin}/auth`)).text()).toBe("</auth>")
    expect(await (await fetch(`${origin}/auth/`)).text()).toBe("</auth>")
  })
})

describe("findMountPath with an optional wildcard (Express 5)", () => {
  it.each(["/auth/session", "/auth/", "/auth/signin/github"])("finds /auth for %s", async (path) => {
    const [current] = expresses
    const origin = await serve(current.express().use("/auth/{*splat}", tell))
    expect(await (await fetch(`${origin}${path}`)).text()).toBe("</auth>")
  })
})
