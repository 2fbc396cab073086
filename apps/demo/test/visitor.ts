type Handler = (request: Request) => Promise<Response>

/** A request that the visitor made. */
export interface Visited {
  readonly method: string
  readonly url: URL
}

/** A simple browser: keeps cookies by origin, follows redirects, and submits self-submitting forms. */
export interface Visitor {
  /** Every request, in order. */
  readonly visited: readonly Visited[]
  /** Starts a sign-in and follows it. @returns the URL at which it ends */
  signIn(provider: string, callbackUrl: string): Promise<URL>
  /** Signs out and follows it. @returns the URL at which it ends */
  signOut(callbackUrl: string, fields?: Readonly<Record<string, string>>): Promise<URL>
  /** Opens a URL and follows it. */
  open(url: string): Promise<URL>
  /** Posts a form to the app. @returns the status */
  post(path: string, fields: Readonly<Record<string, string>>): Promise<number>
  /** Requests JSON from the app. */
  ask(path: string): Promise<unknown>
}

const maxSteps = 20

/** @param app Handles requests to its origin; all others go over the network. */
export function createVisitor(appOrigin: string, app: Handler): Visitor {
  const cookies = new Map<string, Map<string, string>>()
  const visited: Visited[] = []

  async function send(url: URL, form?: URLSearchParams): Promise<Response> {
    const method = form ? "POST" : "GET"
    visited.push({ method, url })
    const jar = cookies.get(url.origin) ?? new Map<string, string>()
    cookies.set(url.origin, jar)
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ")
    const init = { method, headers: { cookie }, redirect: "manual" as const, ...(form && { body: form }) }
    const response = await (url.origin === appOrigin ? app(new Request(url, init)) : fetch(url, init))
    for (const header of response.headers.getSetCookie()) keep(jar, header)
    return response
  }

  async function follow(start: URL, form?: URLSearchParams): Promise<URL> {
    let step: Step | null = { url: start, ...(form && { form }) }
    let last = start
    for (let count = 0; step !== null && count < maxSteps; count++) {
      last = step.url
      // The app's own pages are not part of this test.
      if (last.origin === appOrigin && !last.pathname.startsWith("/auth/")) return last
      step = await nextStep(last, await send(last, step.form))
    }
    return last
  }

  const ask = async (path: string): Promise<unknown> => (await send(new URL(path, appOrigin))).json()

  async function submit(path: string, fields: Readonly<Record<string, string>>): Promise<URL> {
    const csrfToken = Object(await ask("/auth/csrf")).csrfToken
    return follow(new URL(path, appOrigin), new URLSearchParams({ csrfToken, ...fields }))
  }

  return {
    visited,
    ask,
    open: (url) => follow(new URL(url)),
    signIn: (provider, callbackUrl) => submit(`/auth/signin/${provider}`, { callbackUrl }),
    signOut: (callbackUrl, fields) => submit("/auth/signout", { callbackUrl, ...fields }),
    post: async (path, fields) => (await send(new URL(path, appOrigin), new URLSearchParams(fields))).status,
  }
}

interface Step {
  readonly url: URL
  readonly form?: URLSearchParams
}

async function nextStep(from: URL, response: Response): Promise<Step | null> {
  const location = response.headers.get("location")
  const page = await response.text()
  if (location !== null) return { url: new URL(location, from) }
  const action = /<form method="post" action="([^"]+)"/.exec(page)?.[1]
  if (action === undefined || !page.includes("hidden")) return null
  const inputs = page.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)
  return {
    url: new URL(action, from),
    form: new URLSearchParams([...inputs].map(([, name = "", value = ""]) => [name, value])),
  }
}

function keep(jar: Map<string, string>, header: string): void {
  const [pair = "", ...attributes] = header.split("; ")
  const [name = "", ...value] = pair.split("=")
  const isDeleted = attributes.some((attribute) => /^max-age=0$/i.test(attribute)) || value.join("=") === ""
  if (isDeleted) jar.delete(name)
  else jar.set(name, value.join("="))
}
