import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { BrowserContext, BrowserContextOptions, Page } from "playwright-core"
import { rolldown } from "rolldown"
import type { Stage } from "../stage.js"
import { codesOf } from "../steps.js"

// Forms of an app, on a page of the demo's own origin: the one of the guide, and one for the other flows.

const root = join(import.meta.dirname, "..", "..", "..", "..")

/** Shows any step of a sign-up or a reset, with what it asks for. */
const otherForms = `
  import { usePasswordReset, useSignUp } from "@latchkey/react/flows"
  const fields = {
    "sign-up": { identifier: ["email", "name", "password"], code: ["code"] },
    reset: { identifier: ["email"], code: ["code", "password"] },
  }
  function Form({ name, flow }) {
    const asked = fields[name][flow.step] ?? (flow.step === "second-factor" ? ["code"] : [])
    const submit = (typed) => flow.submit(asked.length > 1 ? typed : typed[asked[0]])
    return <form method="post" data-step={flow.step} aria-busy={flow.isPending} onSubmit={(event) => {
      event.preventDefault()
      submit(Object.fromEntries(new FormData(event.currentTarget)))
    }}>
      {flow.address && <p>{flow.address}</p>}
      {asked.map((each) => <label key={flow.step + each}>{each} <input name={each} required
        type={each === "password" ? "password" : "text"} dir="ltr" defaultValue={each === "email" ? flow.identifier : ""} /></label>)}
      {asked.length > 0 && <button disabled={flow.isPending}>Continue</button>}
      <p role="alert">{flow.error?.message}</p>
    </form>
  }
  export const SignUp = () => <Form name="sign-up" flow={useSignUp({ redirectTo: "/inbox" })} />
  export const Reset = () => <Form name="reset" flow={usePasswordReset({ redirectTo: "/inbox" })} />`

/** The modules of the page, as if they stood in the root of the repository. */
function readModules(): ReadonlyMap<string, string> {
  const guide = readFileSync(join(root, "docs", "guides", "own-forms.md"), "utf8")
  const form = /^```tsx\n(.*?)^```$/ms.exec(guide)?.[1] ?? ""
  const entry = `
    import { SessionProvider } from "@latchkey/react"
    import { createRoot } from "react-dom/client"
    import { Reset, SignUp } from "./other-forms.tsx"
    import { SignInForm } from "./sign-in-form.tsx"
    const forms = { "/form": SignInForm, "/form/sign-up": SignUp, "/form/reset": Reset }
    const Shown = forms[location.pathname]
    const page = <SessionProvider basePath="/auth"><Shown /></SessionProvider>
    createRoot(document.querySelector("main")).render(page)`
  return new Map([
    [join(root, "entry.tsx"), entry],
    [join(root, "sign-in-form.tsx"), form],
    [join(root, "other-forms.tsx"), otherForms],
  ])
}

/** The script of the pages. */
export async function bundleForms(): Promise<string> {
  const modules = readModules()
  const build = await rolldown({
    input: join(root, "entry.tsx"),
    platform: "browser",
    checks: { moduleLevelDirective: false },
    resolve: { conditionNames: ["@latchkey/source", "import", "browser", "default"] },
    transform: {
      define: { "process.env.NODE_ENV": '"production"' },
      jsx: { runtime: "automatic", importSource: "react" },
    },
    plugins: [
      {
        name: "modules",
        resolveId: (id, importer) => {
          const path = importer && id.startsWith("./") ? join(root, id) : id
          return modules.has(path) ? path : null
        },
        load: (id) => modules.get(id) ?? null,
      },
    ],
  })
  const { output } = await build.generate({ format: "es", codeSplitting: false })
  return output[0].code
}

const html = (
  locale: string,
): string => `<!doctype html><html lang="${locale}" dir="${locale === "ar" ? "rtl" : "ltr"}">
  <title>Sign in</title><meta name="viewport" content="width=device-width">
  <main><h1>Sign in</h1></main><script type="module" src="/form.js"></script></html>`

/** A new browser profile that finds the forms at `/form`, `/form/sign-up` and `/form/reset` of the demo. */
export async function openForms(
  stage: Stage,
  script: string,
  { locale = "en", ...options }: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await stage.newContext({ viewport: { width: 390, height: 780 }, locale, ...options })
  const page = { contentType: "text/html; charset=utf-8", body: html(locale) }
  await context.route(/\/form(?:\/[\w-]+)?$/, (route) => route.fulfill(page))
  await context.route("**/form.js", (route) => route.fulfill({ contentType: "text/javascript", body: script }))
  return context
}

/** Sends a form of the service, or reads a route of it, with the cookies of the page. */
export async function send(
  page: Page,
  url: string,
  fields?: Readonly<Record<string, string>>,
): Promise<{ readonly status: number; readonly content: Record<string, unknown> }> {
  const headers = { accept: "application/json", "x-auth-return-redirect": "1" }
  if (fields === undefined) return readAnswer(await page.request.get(url, { headers }))
  const base = url.slice(0, url.indexOf("/auth/") + "/auth".length)
  const { csrfToken } = await (await page.request.get(`${base}/csrf`)).json()
  return readAnswer(await page.request.post(url, { headers, form: { ...fields, csrfToken } }))
}

async function readAnswer(answer: {
  status(): number
  json(): Promise<unknown>
}): Promise<{ readonly status: number; readonly content: Record<string, unknown> }> {
  return { status: answer.status(), content: Object(await answer.json()) }
}

/** Sets an authenticator app up for the user who is signed in. Returns what gives its codes. */
export async function enroll(page: Page, origin: string): Promise<() => Promise<string>> {
  const url = `${origin}/auth/account/factors`
  const { ticket, secret } = (await send(page, url, { action: "begin-totp" })).content
  const nextCode = codesOf(String(secret))
  await send(page, url, { action: "confirm-totp", ticket: String(ticket), code: await nextCode() })
  return nextCode
}
