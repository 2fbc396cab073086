import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { english } from "../messages/locale.js"
import { pageMessages } from "../messages/pages.js"
import { renderSteps } from "../methods/password/sign-in-form.js"
import type { PageFrame } from "./document.js"
import { renderCodePage, renderConfirmPage, renderVerifyRequestPage } from "./email-pages.js"
import { renderPasskeyForm } from "./passkey-form.js"
import { renderSignInPage } from "./sign-in.js"
import { renderErrorPage, renderSignOutPage } from "./simple-pages.js"

/** Renders all pages with `text` as every value that comes from a request or from the host. */
function renderAll(text: string): string {
  const frame: PageFrame = {
    theme: { logo: `/logo/${text}` },
    siteName: text,
    siteUrl: `https://app.example/${text}`,
    stylesheetUrl: text,
    locale: { ...english, messages: Object.fromEntries(Object.keys(pageMessages).map((id) => [id, `${text}{host}`])) },
  }
  const details = { type: text, message: text, causes: [text] }
  const common = { id: text, name: text, signinUrl: text, callbackUrl: text }
  const fields = { [text]: { label: text, value: text, placeholder: text } }
  const form = { csrfToken: text, callbackUrl: text, signoutUrl: text, signInUrl: text, reference: text, details }
  const codeForm = {
    ...form,
    action: text,
    resendAction: text,
    flow: text,
    address: text,
    isWrong: true,
    resending: { isResent: true, pauseSeconds: 30 },
  }
  const providers = [
    { ...common, kind: "redirect", logo: `data:image/png,${text}` },
    { ...common, kind: "email" },
    { ...common, kind: "fields", fields },
    {
      ...common,
      kind: "passkey",
      fields,
      scriptUrl: text,
      isDiscoverable: true,
      hasAutofill: true,
      canSignUp: true,
      render: renderPasskeyForm,
    },
  ] as const
  const many = Array.from({ length: 9 }, () => providers[0])
  const own = {
    say: () => ({ labels: { email: text }, button: text, links: [{ url: text, text }], signUp: [] }),
    renderSteps,
  }
  const twoSteps = [providers[1], { ...common, kind: "fields", fields: { email: {}, ...fields }, own }] as const
  return [
    renderSignInPage({ ...form, providers, email: text, error: "OAuthSignin", errorProvider: text }, frame),
    renderSignInPage({ ...form, providers, error: text || "x", errorCode: text }, frame),
    renderSignInPage({ ...form, providers: many, find: text, lastUsed: text }, frame),
    renderSignInPage({ ...form, providers: twoSteps, email: text }, frame),
    renderSignInPage({ ...form, providers: twoSteps, person: `${text}@` }, frame),
    renderSignOutPage(form, frame),
    renderVerifyRequestPage({ ...form, waitUrl: "/auth/wait.js" }, frame),
    renderVerifyRequestPage({ ...form, waitUrl: "/auth/wait.js", codeForm }, frame),
    renderConfirmPage({ ...form, address: text, hasCode: true }, frame),
    renderCodePage({ code: text, codeMaxAgeSeconds: 600 }, frame),
    renderErrorPage({ ...form, error: text }, frame),
  ].join("\n")
}

/** The tags and quotes in order: a value that becomes markup changes them. */
const skeleton = (html: string): string => html.replace(/[^<"]+/g, ".")

const hostile = fc.constantFrom(
  '"><script>alert(1)</script>',
  "'><img src=x onerror=alert(1)>",
  "</title><script>1</script>",
  "<!--",
  "{host}",
  "$&",
)

describe("built-in pages", () => {
  it("never turn a value into markup", () => {
    const expected = skeleton(renderAll("zz"))
    fc.assert(
      fc.property(fc.oneof(fc.string({ minLength: 1 }), hostile), (text) => {
        fc.pre(text.trim() !== "")
        expect(skeleton(renderAll(text))).toBe(expected)
      }),
    )
  })

  it("never turn a value into a character reference", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^&[a-z#0-9]{1,6};$/), (text) => {
        fc.pre(text !== "&amp;")
        expect(renderAll(text)).not.toContain(text)
        expect(renderAll(text)).toContain(text.replace("&", "&amp;"))
      }),
    )
  })
})
