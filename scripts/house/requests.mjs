// What a process loads, and which files a request enters.
import { registerHooks } from "node:module"
import ts from "typescript"
import { forEachNode } from "./sources.mjs"

const coreUrl = new URL("../../packages/core/dist/", import.meta.url).href
const bundleUrl = `${coreUrl}bundle/`
const loaded = []
/** Requests are followed in the output of the compiler, which has a file for each source. */
let isBundled = true
/** The calls of the request that is followed; null between requests. */
let calls = null

/** Each function of the core tells that it was entered: `__entered(file)` is its first statement. */
function instrument(url, code) {
  const source = ts.createSourceFile(url, code, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS)
  const call = `__entered(${JSON.stringify(url.slice(coreUrl.length))})`
  const inserts = []
  forEachNode(source, (node) => {
    if (!ts.isFunctionLike(node) || !node.body) return
    if (ts.isBlock(node.body)) inserts.push([node.body.getStart(source) + 1, `${call};`])
    else inserts.push([node.body.getStart(source), `(${call},`], [node.body.end, ")"])
  })
  const pieces = inserts.toSorted(([a], [b]) => b - a)
  return pieces.reduce((text, [at, piece]) => text.slice(0, at) + piece + text.slice(at), code)
}

/** The file of the nearest frame above the function that was entered; frames of the language itself have none. */
function findCaller() {
  const { prepareStackTrace } = Error
  Error.prepareStackTrace = (_, frames) => frames.map((frame) => frame.getFileName())
  const [, , , ...callers] = new Error().stack
  Error.prepareStackTrace = prepareStackTrace
  return callers.find((file) => file?.startsWith("file:"))
}

globalThis.__entered = (file) => {
  calls?.push({ file, caller: findCaller() })
}

function watchModules() {
  registerHooks({
    resolve(specifier, context, next) {
      // Only the types of the sources have an entry in the manifest: the bundle contains the runtime.
      const own = specifier === "#markup/jsx-runtime" ? `${coreUrl}pages/markup/jsx-runtime.js` : specifier
      const result = next(own, context)
      return isBundled ? result : { ...result, url: result.url.replace(bundleUrl, coreUrl) }
    },
    load(url, context, next) {
      const result = next(url, context)
      if (url.startsWith("file:")) loaded.push(url)
      if (isBundled || !url.startsWith(coreUrl) || result.format !== "module") return result
      return { ...result, source: instrument(url, String(result.source)) }
    },
  })
}

const controlFlow = "runtime/promise.js"

/** Follows the last request of the second visitor: the first one warms the service up. */
async function measureRequest({ Auth }, { createBrowser, testHost }, { name, providers, isFollowed, walk }) {
  const { config, idp } = testHost({ providers })
  const { basePath, secret, trustHost } = config
  const own = { basePath, secret, trustHost, providers: config.providers }
  let followed = []
  const handler = async (request) => {
    const { pathname } = new URL(request.url)
    if (!pathname.startsWith("/auth/")) return new Response(pathname)
    if (!isFollowed(request.method, pathname)) return await Auth(request, own)
    calls = []
    const response = await Auth(request, own)
    followed = calls
    calls = null
    return response
  }
  const network = { [idp.origin]: idp.handler }
  for (const browser of [0, 1].map(() => createBrowser({ handler, network }))) await walk(browser)
  // `andThen` and `attempt` stand for `await` and `catch`: they are no other subject, nor is what they call.
  const subjects = followed.filter(({ file }) => file !== controlFlow)
  const switches = subjects.filter(
    ({ file, caller }) => caller?.startsWith(coreUrl) && caller !== coreUrl + file && caller !== coreUrl + controlFlow,
  )
  const pairs = Map.groupBy(switches, ({ file, caller }) => `${caller.slice(coreUrl.length)} -> ${file}`)
  return {
    figures: {
      [`${name}: files entered`]: new Set(subjects.map(({ file }) => file)).size || Number.NaN,
      [`${name}: file switches`]: switches.length,
    },
    details: {
      [`file switches of ${name}`]: [...pairs]
        .toSorted(([, a], [, b]) => b.length - a.length)
        .map(([pair, { length }]) => `${pair} (${length})`),
    },
  }
}

const password = {
  id: "password",
  name: "Password",
  type: "credentials",
  credentials: { user: {} },
  authorize: ({ user }) => ({ id: user, name: user }),
}

const requests = [
  {
    name: "GET session",
    isFollowed: (method, path) => method === "GET" && path === "/auth/session",
    walk: async (browser) => {
      await browser.signIn("oidc")
      await browser.session()
    },
  },
  {
    name: "POST callback/credentials",
    providers: [password],
    isFollowed: (method, path) => method === "POST" && path === "/auth/callback/password",
    walk: (browser) => browser.signIn("password", { user: "ada" }),
  },
  {
    name: "OpenID Connect callback",
    isFollowed: (method, path) => method === "GET" && path === "/auth/callback/oidc",
    walk: (browser) => browser.signIn("oidc"),
  },
]

export async function measureProcess() {
  watchModules()
  await import("../../packages/core/dist/bundle/index.js")
  const modules = loaded.length
  isBundled = false
  const service = await import("../../packages/core/dist/index.js")
  const testkit = await import("../../packages/testkit/dist/index.js")
  const measured = []
  for (const request of requests) measured.push(await measureRequest(service, testkit, request))
  return [{ figures: { "modules loaded at import": modules }, details: {} }, ...measured]
}
