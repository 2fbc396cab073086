import type { AccountAreaOptions } from "@latchkey/core/account-area"
import type { Browser } from "@latchkey/testkit"
import { describe, expect, it, vi } from "vitest"
import { call, idOf, load, openArea, read, send } from "../setup/area-setup.js"
import { readAnswer } from "../setup/requests.js"
import { cookiesOf } from "../setup/tracked-setup.js"

const bytesOf = (text: string, ...more: readonly number[]) => [...new TextEncoder().encode(text), ...more]

/** The first bytes of a file of each kind. */
const files = {
  "image/png": [0x89, ...bytesOf("PNG\r\n"), 0x1a, 0x0a, 0, 0, 0, 13],
  "image/jpeg": [0xff, 0xd8, 0xff, 0xe0, 0, 16, ...bytesOf("JFIF")],
  "image/gif": bytesOf("GIF89a", 1, 0, 1, 0),
  "image/webp": bytesOf("RIFF", 4, 0, 0, 0, ...bytesOf("WEBPVP8 ")),
  "image/avif": [0, 0, 0, 28, ...bytesOf("ftypavif")],
} as const

const png = files["image/png"]

interface Upload {
  readonly bytes?: readonly number[]
  /** What the client says about the file. */
  readonly type?: string
  readonly name?: string
  readonly csrfToken?: string
  readonly accept?: string
  readonly origin?: string
}

async function openPictures(save: NonNullable<AccountAreaOptions["picture"]>["save"], maxBytes = 1000) {
  const opened = await openArea({ area: { picture: { save, maxBytes } } })
  const { host, adapter } = opened
  return {
    ...opened,
    imageOf: async (name: string) => (await adapter.getUser(idOf(name)))?.image ?? null,
    /** Sends the form as a browser does. */
    async upload(
      browser: Browser,
      { bytes = png, type = "", name = "me.png", ...how }: Upload = {},
    ): Promise<Response> {
      const form = new FormData()
      form.set("csrfToken", how.csrfToken ?? (await browser.csrfToken()))
      form.set("action", "save-picture")
      form.set("picture", new File([new Uint8Array(bytes)], name, { type }))
      const written = new Response(form)
      const headers = {
        cookie: cookiesOf(browser),
        accept: how.accept ?? "text/html",
        origin: how.origin ?? "https://app.test",
        "content-type": written.headers.get("content-type") ?? "",
      }
      const body = await written.arrayBuffer()
      return host.handler(new Request("https://app.test/auth/account/profile", { method: "POST", headers, body }))
    },
  }
}

const stored = () => "https://files.example/1.png"

describe("a picture that a user uploads", () => {
  it.each(Object.entries(files))(
    "ACC-10: is given to the app as %s by its first bytes, without its name",
    async (type, bytes) => {
      const saved: unknown[] = []
      const { signIn, upload, imageOf } = await openPictures(async (file, { id, image }) => {
        saved.push([file.type, file instanceof File, [...new Uint8Array(await file.arrayBuffer())], id, image ?? null])
        return stored()
      })
      const browser = await signIn()
      const reply = await upload(browser, { bytes, type: "text/html", name: "../../etc/passwd.html" })
      expect([reply.status, reply.headers.get("location")]).toEqual([
        302,
        "https://app.test/auth/account/profile?done=saved",
      ])
      expect(saved).toEqual([[type, false, [...bytes], idOf("ada"), null]])
      expect(await imageOf("ada")).toBe(stored())
    },
  )

  it("shows in the session, and a later one tells the app which one it replaces", async () => {
    const former: unknown[] = []
    const { signIn, upload, imageOf } = await openPictures((_, { image }) => {
      former.push(image ?? null)
      return `/pictures/${former.length}.png`
    })
    const browser = await signIn()
    await upload(browser)
    const reply = await upload(browser, { accept: "application/json" })
    expect([reply.status, await reply.json()]).toEqual([200, { name: "ADA", image: "https://app.test/pictures/2.png" }])
    expect(former).toEqual([null, "https://app.test/pictures/1.png"])
    expect(await imageOf("ada")).toBe("https://app.test/pictures/2.png")
    expect(reply.headers.getSetCookie().some((cookie) => cookie.includes("session-token"))).toBe(true)
  })

  it.each<readonly [string, Upload]>([
    ["too large", { bytes: [...png, ...Array.from({ length: 1000 }, () => 0)] }],
    [
      "an SVG that calls itself a PNG",
      { bytes: bytesOf("<svg xmlns='http://www.w3.org/2000/svg'/>"), type: "image/png" },
    ],
    ["a web page", { bytes: bytesOf("<!doctype html><script>1</script>"), type: "image/gif", name: "x.gif" }],
    ["a picture after a web page", { bytes: [...bytesOf("<script>"), ...png], type: "image/png" }],
    ["empty", { bytes: [] }],
    ["a video in the container of AVIF", { bytes: [0, 0, 0, 28, ...bytesOf("ftypisom")], type: "image/avif" }],
  ])("ACC-10: is refused if it is %s: the form says so, and the app is not asked", async (_what, file) => {
    let calls = 0
    const { signIn, upload, imageOf } = await openPictures(() => `/${++calls}`)
    const browser = await signIn()
    const refused = await readAnswer(await upload(browser, file))
    const { search } = new URL(refused.location ?? "")
    const name = "__Host-authjs.form-result"
    browser.cookies.set(name, refused.cookies.get(name)?.value ?? "", { path: "/" })
    const page = await load(browser, `/profile${search}`)
    expect([search, page.status]).toEqual([expect.stringMatching(/^\?refused=/), 400])
    expect(page.text).toMatch(/This file can’t be used\. Choose another picture\.[\s\S]*aria-invalid="true"/)
    const json = await upload(browser, { ...file, accept: "application/json" })
    expect(json.status).toBe(400)
    expect(await json.json()).toMatchObject({ error: "ChangeRefused", code: "picture", field: "picture" })
    expect([calls, await imageOf("ada")]).toEqual([0, null])
  })

  it("ACC-10: is a picture to whom it is served, even if a script is hidden in it", async () => {
    const types: string[] = []
    const { signIn, upload } = await openPictures((file) => `/${types.push(file.type)}.gif`)
    await upload(await signIn(), {
      bytes: bytesOf("GIF89a/*<svg onload=alert(1)>*/=1"),
      type: "text/javascript",
      name: "x.js",
    })
    expect(types).toEqual(["image/gif"])
  })

  it("ACC-10: is not read to its end if it is far too large", async () => {
    const { signIn, upload, imageOf } = await openPictures(stored)
    const reply = await upload(await signIn(), { bytes: [...png, ...Array.from({ length: 4000 }, () => 0)] })
    expect([reply.status, await imageOf("ada")]).toEqual([413, null])
  })

  it.each<readonly [string, string]>([
    ["thousands of fields", `--b\r\ncontent-disposition: form-data; name=""; filename=""\r\n\r\n\r\n`.repeat(2000)],
    ["thousands of headers", `--b\r\n${"a: b\r\n".repeat(2000)}content-disposition: form-data; name="a"\r\n\r\n\r\n`],
    ["a long name", `--b\r\ncontent-disposition: form-data; name="${"%22".repeat(5000)}"\r\n\r\n\r\n`],
  ])("ACC-10: is not parsed in a form with %s, which takes seconds", async (_what, parts) => {
    const parse = vi.fn()
    // Not a spy on its prototype: @hono/node-server, which other tests load, puts a class with fixed methods in its place.
    vi.stubGlobal(
      "Response",
      class extends Response {
        override formData(): Promise<FormData> {
          parse()
          return super.formData()
        }
      },
    )
    const { host, signIn } = await openPictures(stored, 1_000_000)
    const headers = { cookie: cookiesOf(await signIn()), "content-type": "multipart/form-data; boundary=b" }
    const init = { method: "POST", headers: { ...headers, accept: "application/json" }, body: `${parts}--b--\r\n` }
    const answer = await host.handler(new Request("https://app.test/auth/account/profile", init))
    expect(answer.status).toBe(400)
    vi.unstubAllGlobals()
    expect(parse).not.toHaveBeenCalled()
  })

  it("ACC-10: is parsed by the boundary that was checked, however the type is written", async () => {
    const { host, signIn } = await openPictures(stored)
    const browser = await signIn()
    const send = async (type: string, boundary: string) => {
      const field = (name: string, value: string) =>
        `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
      const body = `${field("csrfToken", await browser.csrfToken())}${field("action", "remove-picture")}--${boundary}--\r\n`
      const headers = { cookie: cookiesOf(browser), accept: "application/json", "content-type": type }
      return (
        await host.handler(new Request("https://app.test/auth/account/profile", { method: "POST", headers, body }))
      ).status
    }
    expect(
      await send(
        "multipart/form-data; boundary=----WebKitFormBoundaryA1b2C3d4E5f6G7h8",
        "----WebKitFormBoundaryA1b2C3d4E5f6G7h8",
      ),
    ).toBe(200)
    expect(
      await send(
        'Multipart/Form-Data;charset=utf-8; Boundary="----formdata-0123456789012345"',
        "----formdata-0123456789012345",
      ),
    ).toBe(200)
    expect(await send("multipart/form-data", "a")).toBe(400)
    expect(await send("multipart/form-data; boundary=a; boundary=b", "b")).toBe(400)
  })

  it("ACC-10: is refused without the CSRF token, from another site, and without a session", async () => {
    let calls = 0
    const { host, signIn, upload, imageOf } = await openPictures(() => `/${++calls}`)
    const browser = await signIn()
    const json = { accept: "application/json" }
    expect((await upload(browser, { ...json, csrfToken: "" })).status).toBe(403)
    expect((await upload(browser, { ...json, csrfToken: "0".repeat(64) })).status).toBe(403)
    expect((await upload(browser, { ...json, origin: "https://evil.test" })).status).toBe(403)
    expect((await upload(host.newBrowser(), json)).status).toBe(401)
    expect((await upload(host.newBrowser())).headers.get("location")).toContain("/auth/signin?")
    expect([calls, await imageOf("ada")]).toEqual([0, null])
  })

  it.each([
    ["one value instead of a file", { picture: "data:image/png;base64,AAAA" }],
    ["no file", {}],
  ])("is refused with %s", async (_what, fields) => {
    const { signIn, imageOf } = await openPictures(stored)
    expect((await call(await signIn(), "profile", { action: "save-picture", ...fields })).status).toBe(400)
    expect(await imageOf("ada")).toBeNull()
  })

  it.each([
    ["throws", () => Promise.reject(new Error("the disk is full"))],
    ["returns a script", () => "javascript:alert(1)"],
    ["returns a page as data", () => "data:text/html,<script>"],
    ["returns an SVG as data", () => "data:image/svg+xml;base64,AAAA"],
    ["returns a password", () => "https://ada:secret@files.example/1.png"],
    ["returns too much", () => `/${"x".repeat(2048)}`],
    ["returns the host of another site", () => "//evil.test/1.png"],
    ["returns nothing", () => ""],
  ])("changes nothing if the app %s, and the log has the reason", async (_what, save) => {
    const { host, signIn, upload, imageOf } = await openPictures(save)
    const reply = await upload(await signIn(), { accept: "application/json" })
    expect(reply.status).toBeGreaterThanOrEqual(500)
    expect(await imageOf("ada")).toBeNull()
    expect(host.logger.errors.length).toBeGreaterThan(0)
  })

  it.each(["data:image/png;base64,iVBORw0KGgo=", "http://localhost:9000/1.png"])("may be kept at %s", async (url) => {
    const { signIn, upload, imageOf } = await openPictures(() => url)
    await upload(await signIn())
    expect(await imageOf("ada")).toBe(url)
  })

  it("can be removed, and the page shows it only if it is on the own site", async () => {
    const urls = ["https://files.example/1.png", "/own.png"]
    const { signIn, upload, imageOf } = await openPictures(() => urls.shift() ?? "")
    const browser = await signIn()
    const hasRemoval = async () => (await load(browser, "/profile")).text.includes("Remove picture")
    expect(await hasRemoval()).toBe(false)
    await upload(browser)
    expect((await load(browser, "/profile")).text).not.toContain("<img")
    await upload(browser)
    const { text } = await load(browser, "/profile")
    expect(text).toContain('src="https://app.test/own.png"')
    expect(text).toContain('enctype="multipart/form-data"')
    expect(text).toMatch(/type="file" accept="image\/png,[^"]*" required/)
    expect(text).toContain("PNG, JPEG, WebP, GIF or AVIF, up to 0 MB.")
    expect(text).not.toContain("Picture URL")
    expect(await hasRemoval()).toBe(true)
    expect((await send(browser, "profile", { action: "remove-picture" })).location).toContain("done=saved")
    expect(await imageOf("ada")).toBeNull()
    expect((await read(browser, "/profile")).json()).toEqual({ name: "ADA", image: null })
  })

  it("is not offered without the option: no form is shown, and none is read", async () => {
    const { host, signIn } = await openArea()
    const browser = await signIn()
    expect((await load(browser, "/profile")).text).not.toContain("multipart")
    expect((await call(browser, "profile", { action: "save-picture" })).status).toBe(400)
    const form = new FormData()
    form.set("csrfToken", await browser.csrfToken())
    form.set("action", "save")
    const headers = { cookie: cookiesOf(browser), accept: "application/json" }
    const url = "https://app.test/auth/account/profile"
    expect((await host.handler(new Request(url, { method: "POST", headers, body: form }))).status).toBe(403)
  })

  it.each([{ save: 1 }, { save: stored, maxBytes: 0 }, { save: stored, maxBytes: 17e6 }, "disk", null])(
    "is a mistake in the configuration with %j",
    async (picture) => {
      // as: untyped apps may write anything.
      const { host } = await openArea({ area: { picture } as unknown as AccountAreaOptions })
      await load(host.newBrowser())
      expect(host.logger.errors.map(({ message }) => message).join()).toContain("accountArea.picture: must be")
    },
  )
})
