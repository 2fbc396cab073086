import type { VerificationRequestParams } from "../contract/email-provider.js"
import { customFetch } from "../contract/markers.js"
import { getKey } from "./api-key.js"
import { handOver, type MailRequest, type MailService } from "./hand-over.js"
import { type OutgoingMail, writeMail } from "./write-mail.js"

/** A service that takes whole mails. */
export interface WholeMailService extends MailService {
  readonly toRequest: (mail: OutgoingMail, apiKey: string) => MailRequest
}

/**
 * Mails a sign-in link through a service.
 * @throws TypeError without a usable key; Error when the service does not take the mail.
 */
export async function sendMail(service: WholeMailService, params: VerificationRequestParams): Promise<void> {
  const { provider } = params
  const apiKey = getKey(provider)
  const request = service.toRequest(await writeMail(params), apiKey)
  await handOver(service, request, { call: provider[customFetch] })
}

export function jsonRequest(url: string, headers: MailRequest["headers"], body: unknown): MailRequest {
  return { url, headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) }
}
