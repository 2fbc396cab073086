import { readFileSync } from "node:fs"
import { join } from "node:path"
import { createBrowser } from "@latchkey/testkit"
import { integrationUser } from "@latchkey/testkit/integration"
import { compile } from "svelte/compiler"
import { beforeAll, describe, expect, it } from "vitest"
import { appConfig, right } from "./config.js"
import { type KitApp, openApp } from "./kit-app.js"

let app: KitApp

beforeAll(async () => {
  app = await openApp({ base: "/shop" })
})

const open = () => createBrowser({ handler: app.toHandler(appConfig()), basePath: "/shop/auth" })

describe.each(["sign-in", "sign-out"])("the component %s", (name) => {
  it.each(["server", "client"] as const)("compiles without warnings for the %s", (generate) => {
    const filename = join(import.meta.dirname, "..", "src", "components", `${name}.svelte`)
    expect(compile(readFileSync(filename, "utf8"), { filename, generate }).warnings).toEqual([])
  })
})

describe("<SignIn>", () => {
  it("posts the provider, options and parameters to a page below the app's base path", async () => {
    const page = await open().open("/shop/")
    const form = page.find("#in")
    expect(new URL(form?.attribute("action") ?? "", page.url).pathname).toBe("/shop/login")
    const fields = page.findAll("#in input").map((input) => [input.attribute("name"), input.attribute("value")])
    expect(fields).toEqual([
      ["providerId", "harbour"],
      ["redirectTo", "/private"],
      ["authorizationParams-login_hint", "ada"],
    ])
    expect(page.find("#in button")?.html).toContain("<b>Go on</b>")
  })

  it("accepts slots as well as snippets, and attributes of its form", async () => {
    const page = await open().open("/shop/legacy")
    expect(page.find(".narrow input[name=username]")).not.toBeNull()
    expect(page.find(".narrow button")?.text).toBe("Go on")
    const [, plain, out] = page.forms()
    expect([plain?.names, out?.names]).toEqual([[], ["redirectTo"]])
    expect(page.findAll("button").map(({ text }) => text)).toEqual(["Go on", "Sign in", "Sign out"])
  })

  it("signs in below the base path, and <SignOut> signs out", async () => {
    const browser = open()
    const page = await browser.open("/shop/login")
    await browser.submit(page.form(), right)
    expect((await browser.session())?.user?.name).toBe(integrationUser.name)
    await browser.submit((await browser.open("/shop/")).form("#out"))
    expect(await browser.session()).toBeNull()
  })
})
