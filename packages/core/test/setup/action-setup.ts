import { type RecordingEvents, type RecordingLogger, recordingEvents, recordingLogger } from "@latchkey/testkit"
import type { AnyValue } from "@latchkey/types"
import { getRoute } from "../../src/actions/routes.js"
import { getService } from "../../src/auth.js"
import type { ActionContext } from "../../src/features/feature.js"
import type { Reply } from "../../src/http/response.js"
import type { AuthConfig } from "../../src/types/config.js"
import type { OIDCConfig } from "../../src/types/oauth-provider.js"
import type { CredentialsConfig, EmailConfig } from "../../src/types/providers.js"
import { type KeptCookies, keptCookies } from "./kept-cookies.js"
import { appOrigin, authRequestTo, type TestRequestOptions } from "./requests.js"

const secret = "a secret of at least thirty-two characters"

export const oidc: OIDCConfig<AnyValue> = {
  id: "oidc",
  name: "Identity",
  type: "oidc",
  issuer: "https://idp.test",
  clientId: "rp",
  clientSecret: "client secret",
}

/** Accepts the password `right`. */
export const cred: CredentialsConfig = {
  id: "cred",
  name: "Password",
  type: "credentials",
  credentials: { password: { type: "password" } },
  authorize: ({ password }) => (password === "right" ? { id: "vera", name: "Vera" } : null),
}

export const mail: EmailConfig = { id: "mail", name: "Mail", type: "email", sendVerificationRequest: () => undefined }

export interface ActionSetup {
  readonly context: ActionContext
  readonly browser: KeptCookies
  readonly logger: RecordingLogger
  readonly events: RecordingEvents
  /** Calls the action of a request with the browser's cookies. Throws what the action throws. */
  act(path: string, options?: TestRequestOptions): Promise<Reply>
  /** Posts a form with the browser's CSRF token. */
  post(path: string, fields?: Readonly<Record<string, string>>): Promise<Reply>
}

/** The actions, with the same dependencies that the service gives them. */
export function actionSetup(host: Partial<AuthConfig> = {}): ActionSetup {
  const logger = recordingLogger(host.logger)
  const events = recordingEvents(host.events)
  const config = { providers: [oidc, cred], secret, trustHost: true, ...host, logger, events: events.handlers }
  const context = getService(config).contextFor(new URL(appOrigin))
  const browser = keptCookies()

  async function act(path: string, options: TestRequestOptions = {}): Promise<Reply> {
    const request = await authRequestTo(path, { cookie: browser.header(), ...options })
    const reply = await getRoute(request)(request, context)
    browser.keep(reply.cookies)
    return reply
  }

  async function post(path: string, fields: Readonly<Record<string, string>> = {}): Promise<Reply> {
    const { token = "", cookies } = await context.csrf.issue(browser.jar())
    browser.keep(cookies)
    return act(path, { form: { ...fields, csrfToken: token } })
  }

  return { context, browser, logger, events, act, post }
}
