import type { OptionRule } from "../contract/common-provider.js"
import type { EmailConfig, EmailUserConfig } from "../contract/email-provider.js"

/**
 * What makes a text a key: characters that can stand in a header. A line break at the end is easily read from a file
 * along with it, and the error of `Headers` would quote the whole key.
 */
const apiKeyRule: OptionRule = (value) => {
  if (value === undefined || value === "") return "is missing"
  const isKey = typeof value === "string" && /^[\x21-\x7e]+$/.test(value)
  return isKey ? null : "must be text without spaces or line breaks"
}

/** Rules for the options of a mail service. A host that sends in its own way needs none of them, nor a key. */
export function senderRules({ sendVerificationRequest }: EmailUserConfig, others: OptionRules = {}): OptionRules {
  return sendVerificationRequest ? {} : { apiKey: apiKeyRule, ...others }
}

type OptionRules = Readonly<Record<string, OptionRule>>

/**
 * The provider's key.
 * @throws TypeError when there is none that can be sent.
 */
export function getKey({ id, apiKey }: EmailConfig): string {
  const mistake = apiKeyRule(apiKey)
  if (apiKey !== undefined && mistake === null) return apiKey
  throw new TypeError(`providers.${id}.apiKey: ${mistake}`)
}
