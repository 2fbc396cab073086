// Imported as `@latchkey/core/providers/loops`.

import { defaultMaxAgeSeconds, deliver, getKey, jsonRequest, type MailService, senderRules } from "../mail/deliver.js"
import { customFetch } from "../types/basics.js"
import type { EmailConfig, EmailUserConfig, VerificationRequestParams } from "../types/providers.js"
import { required } from "./_shared/options.js"

/** Options of the Loops provider. */
export interface LoopsOptions extends EmailUserConfig {
  /** The ID of the transactional email. Required; optional in the type, like an environment variable. */
  readonly transactionalId?: string | undefined
}

/**
 * Sign-in by email link, sent with Loops and your own template, whose data variables are `url` and, with `code: true`,
 * `code`. Requires `apiKey` (or `AUTH_LOOPS_KEY`), `transactionalId` and an adapter. The template determines sender,
 * subject and text; `from` and the theme are not used. You do not need to register a callback URL.
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
    optionRules: senderRules(options, { transactionalId: required("must be the ID of a transactional email") }),
    options,
  }
}

const loops: MailService = { name: "Loops", isRefusal: ({ success }) => success !== true }

async function sendTemplate(
  transactionalId: string,
  { identifier, url, code, provider }: VerificationRequestParams,
): Promise<void> {
  const headers = { authorization: `Bearer ${getKey(provider)}` }
  const body = { transactionalId, email: identifier, dataVariables: code === undefined ? { url } : { url, code } }
  const request = jsonRequest("https://app.loops.so/api/v1/transactional", headers, body)
  await deliver(loops, request, { call: provider[customFetch] })
}

export default Loops
