import { AuthError } from "@latchkey/core/errors"
import { publicCaching, testIntegration } from "@latchkey/testkit/integration"
import { readFormData, sendRedirect, setResponseHeader, setResponseStatus } from "h3"
import { type Route, start } from "./app.js"

const login: Route = async ({ getAuth }, event) => {
  try {
    return await sendRedirect(event, await getAuth(event).signIn(await readFormData(event)), 303)
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    setResponseStatus(event, 403)
    return error.name
  }
}

const cachedPages: Readonly<Record<string, Route>> = {
  "its own headers": async ({ getAuth }, event) => {
    await getAuth(event).getSession()
    for (const [name, value] of Object.entries(publicCaching)) setResponseHeader(event, name, value)
    return "the app"
  },
  "a Response": async ({ getAuth }, event) => {
    await getAuth(event).getSession()
    return new Response("the app", { headers: publicCaching })
  },
  "a response that it sends itself": async ({ getAuth }, event) => {
    await getAuth(event).getSession()
    event.node.res.writeHead(200, publicCaching).end("the app")
  },
}

for (const [title, page] of Object.entries(cachedPages)) {
  testIntegration({
    name: `Nuxt's server, with ${title},`,
    passesOn: true,
    cachedPage: "/cached",
    signInForm: "/login",
    warnsAtStart: true,
    proxySetting: null,
    start: (config) => start(config, { "/cached": page, "/login": login }),
  })
}
