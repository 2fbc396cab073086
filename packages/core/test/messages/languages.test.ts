import { customFetch } from "@latchkey/core"
import { type LanguagesOptions, type LazyLanguage, languages } from "@latchkey/core/languages"
import { allLanguages } from "@latchkey/core/languages/all"
import { ar } from "@latchkey/core/languages/ar"
import { de } from "@latchkey/core/languages/de"
import { ptBR } from "@latchkey/core/languages/pt-br"
import Passkey from "@latchkey/core/providers/passkey"
import Resend from "@latchkey/core/providers/resend"
import { type TestHost, type TestHostOptions, testEmail } from "@latchkey/testkit"
import { describe, expect, it, vi } from "vitest"
import { openHost } from "../setup/hosts.js"
import { address, openPasswords, password } from "../setup/password-setup.js"
import { post, postForm } from "../setup/requests.js"
import { openFactors } from "../setup/second-factor-setup.js"

const openSpeaking = (options: LanguagesOptions = {}, host: TestHostOptions = {}): TestHost =>
  openHost({ languages: languages([de, ar, ptBR], options), ...host })

async function show({ handler }: TestHost, language: string | null, path = "signin"): Promise<string> {
  const headers = new Headers(language === null ? {} : { "accept-language": language })
  const response = await handler(new Request(`https://app.test/auth/${path}`, { headers }))
  return response.text()
}

describe("the language of a page", () => {
  it.each([
    ["de-AT,de;q=0.9,en;q=0.8", 'lang="de" dir="ltr"', "Bei app.test anmelden"],
    ["ar-EG", 'lang="ar" dir="rtl"', "تسجيل الدخول إلى app.test"],
    ["pt", 'lang="pt-BR" dir="ltr"', "Entrar em app.test"],
    ["sv, en;q=0.5", 'lang="en" dir="ltr"', "Sign in to app.test"],
    ["sv", 'lang="en" dir="ltr"', "Sign in to app.test"],
    [null, 'lang="en" dir="ltr"', "Sign in to app.test"],
  ])("is for Accept-Language %j %s", async (header, attributes, heading) => {
    const text = await show(openSpeaking(), header)
    expect(text).toContain(`<html ${attributes}>`)
    expect(text).toContain(`>${heading}</h1>`)
  })

  it("is that of each request: pages are kept by language", async () => {
    const host = openSpeaking()
    const seen = []
    for (const language of ["de", "en", "de", "ar"]) seen.push(/lang="(\w+)"/.exec(await show(host, language))?.[1])
    expect(seen).toEqual(["de", "en", "de", "ar"])
  })

  it("is that of error pages, too, also while the configuration is invalid", async () => {
    expect(await show(openSpeaking(), "de", "error?error=AccessDenied")).toContain("Sie haben keinen Zugang")
    expect(await show(openSpeaking({}, { secret: "" }), "de", "error")).toContain('lang="de"')
  })

  it("is English without the option, whatever the browser asks for", async () => {
    expect(await show(openHost(), "de")).toContain('lang="en" dir="ltr"')
  })

  it("is that of `locale`, if it is spoken", async () => {
    const locale = vi.fn((request: Request) => request.headers.get("x-language") ?? undefined)
    const { handler } = openSpeaking({ locale })
    const ask = async (chosen: string) => {
      const headers = { "accept-language": "ar", "x-language": chosen }
      return (await handler(new Request("https://app.test/auth/signin", { headers }))).text()
    }
    expect(await ask("de")).toContain('lang="de"')
    expect(await ask("sv")).toContain('lang="ar"')
    expect(await ask('"><script>')).toContain('lang="ar"')
    expect(locale.mock.calls[0]?.[0].url).toBe("https://app.test/auth/signin")
  })

  const failing: readonly LanguagesOptions["locale"][] = [
    () => {
      throw new Error("no settings")
    },
    () => Promise.reject(new Error("no settings")),
  ]
  it.each(failing)("is that of the browser while `locale` fails, and the failure is logged", async (locale) => {
    const host = openSpeaking({ locale })
    expect(await show(host, "de")).toContain('lang="de"')
    expect(host.logger.texts().join()).toContain("no settings")
  })

  it("may be looked up", async () => {
    expect(await show(openSpeaking({ locale: async () => "ar" }), "de")).toContain('lang="ar"')
  })

  it("is loaded when it is spoken first, and English while it cannot be loaded", async () => {
    let attempts = 0
    const load = async () => {
      attempts += 1
      if (attempts === 1) throw new Error("the file is gone")
      return de
    }
    const lazy: LazyLanguage = { tag: "de", load }
    const host = openHost({ languages: languages([lazy]) })
    await show(host, "en")
    expect(attempts).toBe(0)
    expect(await show(host, "de")).toContain('lang="en"')
    expect(host.logger.texts().join()).toContain("the file is gone")
    for (let n = 0; n < 2; n++) expect(await show(host, "de")).toContain('lang="de"')
    expect(attempts).toBe(2)
  })

  it("can be any of twenty", async () => {
    const host = openHost({ languages: languages(allLanguages) })
    for (const { tag } of allLanguages) expect(await show(host, tag)).toContain(`<html lang="${tag}"`)
  })
})

describe("the sentences of an app", () => {
  it("replace ours in their language, and in English without another one", async () => {
    const messages = { de: { "signIn.heading": "Moin bei {host}" }, en: { "signIn.heading": "Hi at {host}" } }
    const host = openSpeaking({ messages })
    expect(await show(host, "de")).toContain(">Moin bei app.test</h1>")
    expect(await show(host, null)).toContain(">Hi at app.test</h1>")
    expect(await show(host, "ar")).toContain("تسجيل الدخول إلى app.test")
    const english = openHost({ languages: languages([], { messages: { en: { "signIn.heading": "Welcome" } } }) })
    expect(await show(english, "de")).toContain(">Welcome</h1>")
  })

  it("PAGE-03: are text, not markup", async () => {
    const messages = { en: { "signIn.heading": "<img src=x onerror=alert(1)>" } }
    expect(await show(openSpeaking({ messages }), null)).not.toContain("<img src=x")
  })
})

describe("a mistake in `languages`", () => {
  // Untyped hosts can pass anything.
  const open = (given: unknown, options?: unknown) =>
    openHost({ languages: languages(given as [], options as LanguagesOptions), isSearched: false })

  it.each([
    ["de", undefined, "must be a list of languages"],
    [[{ tag: "de" }], undefined, "languages: language 1 of languages() must be imported"],
    [[{ tag: "d_e", messages: {} }], undefined, "languages: language 1 of languages() must be imported"],
    [[de, de], undefined, "de is listed twice"],
    [[{ tag: "en", messages: {} }], undefined, "en is listed twice"],
    [[de], { locale: "de" }, "locale: must be a function"],
    [[de], { messages: { fr: {} } }, "messages.fr: this language is not spoken"],
    [[de], { messages: { de: { "signIn.heading": 7 } } }, "messages.de: the message signIn.heading must be text"],
    [
      [de],
      { messages: { de: { "password.hint": { one: "x" } } } },
      "messages.de: the message password.hint must be text",
    ],
  ])("is refused: %j with %j", async (languages, options, sentence) => {
    const host = open(languages, options)
    const page = await show(host, "de")
    expect(page).toContain("<html lang=")
    expect(host.logger.texts().join()).toContain(sentence)
  })

  it("is also a value that no factory made", async () => {
    const host = openHost({ languages: ["de"] as never, isSearched: false }) // as never: an untyped host.
    await show(host, "de")
    expect(host.logger.texts().join()).toContain("languages: must be the result of languages()")
  })
})

describe("emails", () => {
  it("use the language of the request, in the text and in the HTML", async () => {
    const sent: string[] = []
    const call = async (_: unknown, init?: RequestInit) => {
      sent.push(String(init?.body))
      return Response.json({ id: "1" })
    }
    const provider = Resend({ apiKey: "key", from: "a@app.test", [customFetch]: call as typeof fetch })
    const host = openSpeaking({ locale: () => "ar" }, { providers: [provider], isSearched: false })
    await post(host.browser, "/auth/signin/resend", { email: address })
    const mail: { readonly subject: string; readonly text: string; readonly html: string } = JSON.parse(sent[0] ?? "{}")
    expect(mail.subject).toBe("تسجيل الدخول إلى app.test")
    expect(mail.text).toContain("افتح هذا الرابط لتسجيل الدخول:")
    expect(mail.html).toContain('<html lang="ar" dir="rtl">')
    expect(mail.html).toContain("إذا لم يعمل الزر، فانسخ هذا الرابط إلى متصفحك:")
  })

  it("tell a sender of the app the language", async () => {
    const sendVerificationRequest = vi.fn()
    const host = openSpeaking({ locale: () => "de" }, { providers: [testEmail({ sendVerificationRequest })] })
    await post(host.browser, "/auth/signin/email", { email: address })
    expect(sendVerificationRequest.mock.lastCall?.[0]).toMatchObject({ locale: { language: "de", direction: "ltr" } })
  })

  it("tell it nothing without the option", async () => {
    const sendVerificationRequest = vi.fn()
    const host = openHost({ providers: [testEmail({ sendVerificationRequest })] })
    await post(host.browser, "/auth/signin/email", { email: address })
    expect(sendVerificationRequest.mock.lastCall?.[0]).not.toHaveProperty("locale")
  })
})

describe("the pages of features", () => {
  it("translate passwords: pages, emails, counts and durations", async () => {
    const { host, mails } = openPasswords({ languages: languages([de], { locale: () => "de" }) })
    const { browser } = host
    const form = await browser.open("/auth/password/sign-up")
    expect(form.text()).toContain("Mindestens 15 Zeichen.")
    const short = await postForm(browser, "/auth/password/sign-up", { email: address, password: "short" })
    expect(short.text).toContain("Das Passwort braucht mindestens 15 Zeichen.")
    await post(browser, "/auth/password/sign-up", { email: address, password })
    expect(mails.at(-1)?.subject).toBe("Bestätigen Sie Ihre Adresse für app.test")
    expect(mails.at(-1)?.text).toContain("Der Code gilt 10 Minuten lang, der Link")
    expect(mails.at(-1)?.html).toContain('<html lang="de"')
    const signIn = await browser.open("/auth/signin")
    expect(signIn.text()).toContain("Passwort vergessen?")
    expect(signIn.text()).toContain("Neu hier? Konto erstellen")
  })

  it("translate second factors", async () => {
    const { enroll, signIn } = await openFactors({ languages: languages([de], { locale: () => "de" }) })
    await enroll()
    const browser = await signIn()
    const page = await browser.open("/auth/second-factor")
    expect(page.text()).toContain("Code eingeben")
    expect(page.text()).toContain(
      "Öffnen Sie Ihre Authenticator-App und geben Sie den sechsstelligen Code für app.test ein.",
    )
  })

  it("translate passkeys, including the messages of the script", async () => {
    const host = openSpeaking({}, { providers: [Passkey()] })
    const text = await show(host, "de")
    expect(text).toContain("Mit Passkey anmelden")
    expect(text).toContain("app.test war nicht erreichbar.")
    expect(text).toContain('data-passkey-busy="Warten auf Ihr Gerät&#8230;"')
  })
})
