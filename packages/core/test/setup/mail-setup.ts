import type { EmailUserConfig } from "@latchkey/core/types"
import {
  type Browser,
  findLeaks,
  type MemoryAdapter,
  memoryAdapter,
  type Page,
  type TestHost,
  type TestHostOptions,
  testEmail,
} from "@latchkey/testkit"
import { expect } from "vitest"
import { openHost } from "./hosts.js"
import type { Strategy } from "./oauth-stage.js"
import { type Answer, post } from "./requests.js"
import { sessionCookie } from "./sign-ins.js"

export const email = "v@corp.test"

export interface MailHost extends TestHost {
  readonly adapter: MemoryAdapter
}

/** A host with emailed links and a store that records its calls. */
export function openMail(provider: EmailUserConfig = {}, options: TestHostOptions = {}): MailHost {
  const adapter = memoryAdapter()
  const providers: TestHostOptions["providers"] = ({ idp }) => [idp.provider(), testEmail(provider)]
  return { ...openHost({ adapter, providers, ...options }), adapter }
}

export const openMailWith = (strategy: Strategy, provider: EmailUserConfig = {}): MailHost =>
  openMail(provider, { session: { strategy } })

/** Opens a link in a browser that did not ask for it, and presses the button of its page. */
export async function openElsewhere(browser: Browser, link: string): Promise<Page> {
  const page = await browser.open(link)
  return page.url.pathname.includes("/callback/") ? browser.submit("form") : page
}

/** Types a code in a browser. Redirects are not followed. */
export function typeCode(
  browser: Browser,
  code: string,
  fields: Readonly<Record<string, string>> = {},
  providerId = "email",
): Promise<Answer> {
  return post(browser, `/auth/callback/${providerId}`, { code, ...fields })
}

/** Whether an answer starts a session. */
export const isSignedIn = ({ cookies }: Answer): boolean => Boolean(cookies.get(sessionCookie)?.value)

export const callsOf = ({ adapter }: Pick<MailHost, "adapter">): readonly string[] =>
  adapter.calls.map(({ method }) => method)

/** The stored record of the last link. */
export function recordOf({ adapter }: Pick<MailHost, "adapter">): {
  readonly identifier: string
  readonly token: string
} {
  const made = adapter.calls.findLast(({ method }) => method === "createVerificationToken")
  return made?.args[0] as { identifier: string; token: string } // as: the parameter of the adapter's method.
}

/** Expects none of the texts in the log or in a response. */
export function expectUnsaid(host: TestHost, texts: readonly string[]): void {
  const bodies = host.answers.map(({ body }) => body)
  const canaries = texts.map((value) => ({ name: "what was sent", value }))
  expect(findLeaks([...host.logger.texts(), ...bodies], canaries)).toEqual([])
}
