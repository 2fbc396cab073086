import { type Request, type RequestHandler, type Response, Router, urlencoded } from "express"
import type { Provider } from "oidc-provider"
import { readField } from "../web/form.js"
import { onlyFromOwnPages } from "../web/guards.js"
import { type LoginForm, renderLoginPage, renderProviderError } from "./login-page.js"
import type { People, Person } from "./people.js"

/** The page on which a person says who they are, and what becomes of the answer. */
export function loginRoutes(provider: Provider, people: People): Router {
  const router = Router()
  router.get("/login/:uid", withInteraction(provider), (_request, response) => {
    response.type("html").send(renderLoginPage(emptyForm))
  })
  router.post(
    "/login/:uid",
    onlyFromOwnPages(provider.issuer),
    urlencoded({ extended: false, limit: "8kb" }),
    withInteraction(provider),
    async (request, response) => answer(provider, people, request, response),
  )
  return router
}

const emptyForm: LoginForm = { name: "", email: "", problem: null }

/**
 * Answers with a page when there is no sign-in under way in this browser, which is where an old bookmark or the back
 * button lead.
 */
function withInteraction(provider: Provider): RequestHandler {
  return async (request, response, next) => {
    try {
      await provider.interactionDetails(request, response)
    } catch {
      // Whatever is wrong with it, it cannot be gone on with.
      response.status(400).type("html").send(renderProviderError("This sign-in is no longer under way."))
      return
    }
    next()
  }
}

async function answer(provider: Provider, people: People, request: Request, response: Response): Promise<void> {
  if (readField(request, "action") === "cancel") {
    const refusal = { error: "access_denied", error_description: "The person went back." }
    return provider.interactionFinished(request, response, refusal)
  }
  const chosen = choosePerson(people, request)
  if ("problem" in chosen) {
    response.status(400).type("html").send(renderLoginPage(chosen))
    return
  }
  await provider.interactionFinished(request, response, { login: { accountId: chosen.sub } })
}

function choosePerson(people: People, request: Request): Person | LoginForm {
  const known = people.find(readField(request, "person"))
  if (known) return known
  const name = readField(request, "name")
  const email = readField(request, "email")
  if (!name || name.length > 100) return { name, email, problem: { field: "name", text: "Type a name." } }
  if (!/^[^\s@"<>,;]+@[^\s@"<>,;]+$/.test(email) || email.length > 200) {
    return { name, email, problem: { field: "email", text: "Type an email address, such as lin@id.example." } }
  }
  return people.remember(name, email)
}
