import type { EmailProof } from "../../account/proof.js"
import { MissingAdapter } from "../../errors/errors.js"
import { createMailTools } from "../../mail/mailed-secret.js"
import type { EmailConfig } from "../../types/providers.js"
import type { MethodDeps } from "../method.js"
import type { SignInSteps } from "../steps.js"
import { followLink, submitCode } from "./follow-link.js"
import { requestLink } from "./request-link.js"
import { type EmailDeps, resolveEmailUser } from "./resolve-user.js"

/** A link and a code that are sent by email. Together they work once. */
export function emailSteps(methodDeps: MethodDeps): SignInSteps<EmailConfig, EmailProof> {
  const { store, config, cookies } = methodDeps
  if (!store) throw new MissingAdapter("adapter: an email provider needs one")
  const mail = createMailTools(store, { secrets: config.secrets, cookies })
  const deps: EmailDeps = { ...methodDeps, store, mail }
  return {
    begin: (request, provider) => requestLink(request, provider, deps),
    prove: (request, provider) =>
      request.body?.["code"] === undefined ? followLink(request, provider, deps) : submitCode(request, provider, deps),
    resolveUser: (proof, current, events) => resolveEmailUser(proof, current, { ...deps, events }),
  }
}
