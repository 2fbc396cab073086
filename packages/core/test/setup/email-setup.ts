import { createHash } from "node:crypto"
import { createMailbox, type Mailbox, recordingLogger } from "@latchkey/testkit"
import { type MemoryAdapter, memoryAdapter } from "@latchkey/testkit/adapter"
import type { EmailProof } from "../../src/account/proof.js"
import { createCallbackUrls } from "../../src/checks/callback-url.js"
import { createPermission, resolveCallbacks } from "../../src/host/callbacks.js"
import { createStore } from "../../src/host/store.js"
import { resolveCookies } from "../../src/http/own-cookies.js"
import type { Reply } from "../../src/http/response.js"
import { createLog } from "../../src/log/log.js"
import { emailSteps } from "../../src/methods/email/steps.js"
import type { LinkPage, Proven, SignInSteps } from "../../src/methods/steps.js"
import type { Adapter } from "../../src/types/adapter.js"
import type { CallbacksOptions } from "../../src/types/callbacks.js"
import type { EmailConfig, VerificationRequestParams } from "../../src/types/providers.js"
import { recordSteps } from "./account-setup.js"
import { keptCookies } from "./kept-cookies.js"
import { methodDeps } from "./method-setup.js"
import { authRequestTo, type TestRequestOptions } from "./requests.js"

export const secret = "a secret of at least thirty-two characters"
export const oldSecret = "the secret that was used before this one"
export const theme = { brandColor: "#123456" }
export const email = "vera@corp.test"
export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

export interface EmailHost {
  readonly callbacks?: Partial<CallbacksOptions>
  readonly provider?: Partial<EmailConfig>
  readonly secrets?: readonly string[]
  readonly adapter?: Partial<Adapter>
  /** Uses the store of another setup. */
  readonly stored?: MemoryAdapter
}

export interface EmailSetup {
  readonly method: SignInSteps<EmailConfig, EmailProof>
  readonly provider: EmailConfig
  /** Reads the store without recording a call. */
  readonly stored: MemoryAdapter
  /** Calls of the adapter and of `sendVerificationRequest`, in order. */
  readonly steps: string[]
  /** The parameters of `sendVerificationRequest`. */
  readonly sent: VerificationRequestParams[]
  readonly mailbox: Mailbox
  /** Requests a link with a form. */
  request(form?: Readonly<Record<string, string>>, options?: TestRequestOptions): Promise<Reply>
  /** Follows a link in the browser that requested it. Default: the last one. */
  follow(link?: string, options?: TestRequestOptions): Promise<Outcome>
  /** Presses the button on the page of a link, in another browser. Default: the last one. */
  press(link?: string): Promise<Outcome>
  /** Types a code in the browser that requested it. */
  type(code: string, form?: Readonly<Record<string, string>>): Promise<Outcome>
}

export type Outcome = Proven<EmailProof> | LinkPage | Reply

/** The method with a real store and a mailbox. */
export function emailSetup({
  callbacks,
  provider: overrides,
  secrets = [secret],
  adapter = {},
  stored = memoryAdapter(),
}: EmailHost = {}): EmailSetup {
  const steps: string[] = []
  const sent: VerificationRequestParams[] = []
  const mailbox = createMailbox()
  const { calls: _, ...methods } = stored
  const log = createLog(recordingLogger())
  const hostCallbacks = resolveCallbacks(callbacks)
  const provider: EmailConfig = {
    id: "email",
    name: "Email",
    type: "email",
    sendVerificationRequest: async (params) => {
      steps.push("send")
      sent.push(params)
      await mailbox.sendVerificationRequest(params)
    },
    ...overrides,
  }
  const browser = keptCookies()
  const method = emailSteps(
    methodDeps(
      { secret: secrets, theme },
      {
        store: createStore(recordSteps({ ...methods, ...adapter }, steps), log),
        permission: createPermission(hostCallbacks),
        callbackUrls: createCallbackUrls(resolveCookies(undefined, { isSecure: true }).callbackUrl, hostCallbacks, log),
        log,
      },
    ),
  )
  return {
    method,
    provider,
    stored,
    steps,
    sent,
    mailbox,
    async request(form = { email }, options = {}) {
      const asked = await authRequestTo("/auth/signin/email", { form, cookie: browser.header(), ...options })
      const reply = await method.begin(asked, provider)
      browser.keep(reply.cookies)
      return reply
    },
    async follow(link = mailbox.lastLink(), options = {}) {
      const { pathname, search } = new URL(link)
      return method.prove(
        await authRequestTo(`${pathname}${search}`, { cookie: browser.header(), ...options }),
        provider,
      )
    },
    async press(link = mailbox.lastLink()) {
      const { pathname, searchParams } = new URL(link)
      return method.prove(await authRequestTo(pathname, { form: Object.fromEntries(searchParams) }), provider)
    },
    async type(code, form = {}) {
      const options = { form: { code, ...form }, cookie: browser.header() }
      return method.prove(await authRequestTo("/auth/callback/email", options), provider)
    },
  }
}

/** The proof of a followed link. */
export async function proofOf(following: Promise<Outcome>): Promise<Proven<EmailProof>> {
  const outcome = await following
  if (!("proof" in outcome)) throw new TypeError("it was passed on without a proof")
  return outcome
}
