import { memoryAdapter, type TestHostOptions } from "@latchkey/testkit"
import { afterEach, describe, expect, it, vi } from "vitest"
import { languages } from "../../src/features/languages/index.js"
import { englishMessages } from "../../src/features/languages/own-messages.js"
import { de } from "../../src/messages/languages/de.js"
import { openHost } from "../setup/hosts.js"
import { ask } from "../setup/requests.js"

const misspelled = { session: { maxage: 60 }, colour: "red" } as TestHostOptions

describe("a configuration with unknown options", () => {
  afterEach(() => {
    vi.unstubAllEnvs()
  })

  it("is served, and the log names each of them once", async () => {
    const host = openHost(misspelled)
    await host.browser.signIn("oidc")
    expect(await host.browser.session()).not.toBeNull()
    await vi.waitFor(() => expect(host.logger.warnings).toEqual(["option-unknown", "option-unknown"]))
    expect(host.logger.warningDetails).toEqual([
      "session.maxage: unknown option. Did you mean session.maxAge?",
      "colour: unknown option",
    ])
    expect(host.logger.errors).toEqual([])
  })

  it("is not examined in production", async () => {
    vi.stubEnv("NODE_ENV", "production")
    const host = openHost({ ...misspelled, rateLimit: false })
    expect((await ask(host, "/auth/session")).status).toBe(200)
    await import("../../src/config/unknown-options.js")
    expect(host.logger.warnings).toEqual([])
  })
})

describe("a configuration with values that have no effect", () => {
  const own = {
    "signIn.headng": "Willkommen",
    "signIn.heading": "Willkommen bei {site}",
    "signIn.with": "Mit {provider} bei {host}",
    "password.hint": { one: "{count}", other: "{counts} Zeichen" },
  }
  const options = {
    theme: {
      brandColor: "reddish",
      buttonText: "#fff",
      colorScheme: "darkk",
      logo: "javascript:alert(1)",
      logoDark: "/a.svg",
    },
    adapter: memoryAdapter(),
    session: { maxAge: 3600, updateAge: 3600 },
    languages: languages([de], { messages: { de: own } }),
  } as object as TestHostOptions // as: apps in JavaScript.

  it("is served, and the log names each of them once", async () => {
    const host = openHost(options)
    for (const _ of [1, 2]) expect((await ask(host, "/auth/signin")).status).toBe(200)
    await vi.waitFor(() => expect(host.logger.warnings).toHaveLength(7))
    expect(new Set(host.logger.warnings)).toEqual(new Set(["option-ineffective"]))
    expect(host.logger.warningDetails).toEqual([
      "session.updateAge: must be less than session.maxAge, because no stored session is extended otherwise",
      'theme.brandColor: "reddish" is not a CSS color, such as #0b6e4f or rgb(11 110 79)',
      "theme.logo: must be a path or an http(s) URL, because the pages load no other image",
      'theme.colorScheme: "darkk" is not "auto", "dark" or "light"',
      "languages.messages.de: signIn.headng is not the id of a message. Did you mean signIn.heading?",
      "languages.messages.de: signIn.heading has {site}, which gets no value. It can have {host}",
      "languages.messages.de: password.hint has {counts}, which gets no value. It can have {host}, {count}",
    ])
  })

  it("knows every message that a language has", () => {
    expect([...englishMessages.keys()].toSorted()).toEqual(Object.keys(de.messages).toSorted())
  })
})
