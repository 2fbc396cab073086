// Imported as `@latchkey/core/providers/loops`.

import { defaultMaxAgeSeconds, deliver, getKey, jsonRequest, type MailService, senderRules } from "../mail/deliver.js"
import { customFetch } from "../types/basics.js"
import type { EmailConfig, EmailUserConfig, VerificationRequestParams } from "../types/providers.js"
import { required } from "./_shared/options.js"

export interface LoopsOptions extends EmailUserConfig {
  /** The transactional email to send. Required; typed as an environment variable is. */
  readonly transactionalId?: string | undefined
}

/**
 * Sign-in by a link that Loops mails with a template of yours, which has one data variable, `url`. Needs `apiKey` (or
 * `AUTH_LOOPS_KEY`), `transactionalId` and an adapter. Sender, subject and text belong to the template: `from` and the
 * theme are not used. No callback URL is registered anywhere.
 * @example Loops({ transactionalId: process.env.LOOPS_SIGN_IN_MAIL })
 * @see https://loops.so/docs/api-reference/send-transactional-email
 */
export function Loops(options: LoopsOptions = {}): EmailConfig {
  const { transactionalId = "" } = options
  return {
    id: "loops",
    name: "Loops",
    type: "email",
    maxAge: defaultMaxAgeSeconds,
    sendVerificationRequest: (params) => sendTemplate(transactionalId, params),
    optionRules: senderRules(options, { transactionalId: required("must name a transactional email") }),
    options,
  }
}

const loops: MailService = { name: "Loops", isRefusal: ({ success }) => success !== true }

async function sendTemplate(
  transactionalId: string,
  { identifier, url, provider }: VerificationRequestParams,
): Promise<void> {
  const headers = { authorization: `Bearer ${getKey(provider)}` }
  const body = { transactionalId, email: identifier, dataVariables: { url } }
  const request = jsonRequest("https://app.loops.so/api/v1/transactional", headers, body)
  await deliver(loops, request, { call: provider[customFetch] })
}

export default Loops
