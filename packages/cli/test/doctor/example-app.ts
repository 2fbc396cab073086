import { cpSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fakeIdentityProvider } from "@latchkey/testkit"
import { type Diagnosis, diagnose, production, writeApp } from "./app.js"
import { type Answers, startDns, startSmtp } from "./mail-server.js"
import { serve } from "./sites.js"

/** The examples in which mistakes are planted: their folders, and the files that configure the service. */
const examples = {
  Express: { folder: "example-express", config: "src/auth.ts" },
  "Next.js": { folder: "example-next", config: "auth.ts" },
} as const

export type ExampleName = keyof typeof examples

export const exampleNames: readonly ExampleName[] = ["Express", "Next.js"]

/** Replaces a text of the configuration. */
export type Edit = readonly [from: string | RegExp, to: string]

type AuthMethod = "client_secret_basic" | "client_secret_post"

/** What is changed in an example, or in what it asks. Without a change, the doctor finds nothing. */
export interface Planted {
  readonly variables: Readonly<Record<string, string | undefined>>
  readonly edits: readonly Edit[]
  readonly files: Readonly<Record<string, string>>
  /** Changes the folder of the app before it is looked at. */
  readonly setUp: (folder: string) => void
  readonly mail: Answers
  /** The records of the DNS. */
  readonly dns: Readonly<Record<string, readonly string[]>>
  /** How the provider authenticates the client. */
  readonly method: AuthMethod
  /** The issuer that the app is told, made of that of the provider. */
  readonly toIssuer: (issuer: string) => string | Promise<string>
}

export const clientSecret = "the-secret-of-the-demo-client"

/** The records of the sender's domain. */
export const records = { "harbour.dev": ["v=spf1 -all"], "_dmarc.harbour.dev": ["v=DMARC1; p=reject"] }

/** A provider that says what Entra ID says about a client of another tenant. */
function refuseAsEntra(): Response {
  const said = "AADSTS700016: Application with identifier 'demo' was not found in the directory 'Other'."
  return Response.json({ error: "unauthorized_client", error_description: said }, { status: 400 })
}

/**
 * Serves a provider of OpenID Connect over HTTP, with the client of the examples: the realm `demo`, which can be asked below
 * `/alias` as well, and a tenant that does not have the client.
 */
async function serveProvider(method: AuthMethod): Promise<string> {
  let answer: (request: Request) => Promise<Response> = async () => new Response(null, { status: 503 })
  const origin = await serve(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const headers = new Headers(
      Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]),
    )
    const body = chunks.length > 0 ? Buffer.concat(chunks) : null
    const answered = await answer(
      new Request(`${origin}${request.url?.replace("/alias", "")}`, { method: request.method ?? "GET", headers, body }),
    )
    response
      .writeHead(answered.status, Object.fromEntries(answered.headers))
      .end(Buffer.from(await answered.arrayBuffer()))
  })
  const client = { client_id: "demo", client_secret: clientSecret, token_endpoint_auth_method: method }
  const own = fakeIdentityProvider({ issuer: `${origin}/realms/demo`, clients: [client] })
  const other = fakeIdentityProvider({ issuer: `${origin}/tenants/other` })
  answer = async (request) => {
    if (!request.url.startsWith(`${origin}/tenants/`)) return own.handler(request)
    return request.method === "POST" ? refuseAsEntra() : other.handler(request)
  }
  return `${origin}/realms/demo`
}

/** Copies an example, with changes. Returns its folder. */
function copyExample(name: ExampleName, { edits = [], files = {} }: Partial<Planted>): string {
  const { folder: example, config } = examples[name]
  const folder = writeApp({})
  const source = join(import.meta.dirname, "..", "..", "..", "..", "apps", example)
  cpSync(source, folder, { recursive: true, filter: (path) => !/node_modules|\.next$|\.doctor$/.test(path) })
  const path = join(folder, config)
  for (const [from, to] of edits) {
    const text = readFileSync(path, "utf8")
    const edited = text.replace(from, to)
    if (edited === text) throw new Error(`${config} of the example has no ${String(from)}`)
    writeFileSync(path, edited)
  }
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text)
  return folder
}

/** Runs `latchkey doctor` on an example, with a provider, a mail server and a DNS server that run until the test ends. */
export async function look(name: ExampleName, planted: Partial<Planted> = {}): Promise<Diagnosis> {
  const { variables, setUp, mail, dns = records, method = "client_secret_basic", toIssuer } = planted
  const folder = copyExample(name, planted)
  setUp?.(folder)
  const issuer = await serveProvider(method)
  const { url } = await startSmtp(mail)
  const environment = {
    ...production,
    DATA_FILE: ":memory:",
    EMAIL_SERVER: url,
    EMAIL_FROM: "no-reply@harbour.dev",
    AUTH_DEMO_ISSUER: toIssuer ? await toIssuer(issuer) : issuer,
    AUTH_DEMO_ID: "demo",
    AUTH_DEMO_SECRET: clientSecret,
    ...variables,
  }
  return diagnose(folder, environment, ["--config", examples[name].config, "--dns-server", await startDns(dns)])
}
