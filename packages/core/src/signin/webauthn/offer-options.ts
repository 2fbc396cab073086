import { type CeremonyAction, isAction } from "../../checks/challenge.js"
import { issueChallenge, type NewChallenge } from "../../checks/issue-challenge.js"
import type { WebAuthnConfig } from "../../contract/webauthn-provider.js"
import { randomVerifier } from "../../crypto/random.js"
import { json, type Reply } from "../../web/reply.js"
import type { Visit } from "../../web/visit.js"
import { type OfferedOptions, offerAuthentication } from "./authentication-options.js"
import { decideCeremony } from "./decide-ceremony.js"
import { findPerson, type Person } from "./person.js"
import { offerRegistration } from "./registration-options.js"
import { resolveRelyingParty } from "./relying-party.js"
import { toContext, type WebAuthnNeeds } from "./webauthn-needs.js"

/**
 * `GET webauthn-options/<id>?action=`: what the browser is to ask the device for, and the challenge in a sealed cookie.
 */
export async function offerOptions(visit: Visit, provider: WebAuthnConfig, needs: WebAuthnNeeds): Promise<Reply> {
  const asked = visit.url.searchParams.get("action") ?? undefined
  if (asked !== undefined && !isAction(asked)) return json({ error: "Invalid action" }, { status: 400 })
  const person = await findPerson(visit, provider, needs)
  const isSignUpEnabled = provider.enableSignUp !== false
  const action = decideCeremony({ action: asked, person: person.kind, isSignUpEnabled })
  if (action === null) return json({ error: "Invalid request" }, { status: 400 })
  const party = await resolveRelyingParty(visit, provider, toContext(visit, provider, needs))
  const challenge = randomVerifier()
  const { options, bound } = await makeOffer(action, { visit, provider, person, party, challenge }, needs)
  const issued: NewChallenge = { challenge, action, provider: provider.id, jar: visit.cookies, ...bound }
  return json({ action, options }, { cookies: await issueChallenge(needs.challenges, issued) })
}

async function makeOffer(
  action: CeremonyAction,
  asked: { readonly person: Person } & Omit<Parameters<typeof offerAuthentication>[0], "person">,
  needs: WebAuthnNeeds,
): Promise<OfferedOptions> {
  const { person } = asked
  const mayRegister = person.kind === "signed-in" || person.kind === "new"
  return action === "register" && mayRegister
    ? offerRegistration({ ...asked, person }, needs)
    : offerAuthentication(asked, needs)
}
