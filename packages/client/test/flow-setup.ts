import Passkey from "@latchkey/core/providers/passkey"
import Passwords, { type AddressedMail, type PasswordsOptions } from "@latchkey/core/providers/passwords"
import { recoveryCodes, type SecondFactorOptions, secondFactors, totp } from "@latchkey/core/second-factors"
import {
  type AuthenticatorApp,
  authenticatorApp,
  memoryAdapter,
  type TestHost,
  type TestHostOptions,
  testEmail,
  testHost,
} from "@latchkey/testkit"
import type { MemoryAdapter } from "@latchkey/testkit/adapter"
import { vi } from "vitest"
import type { Flow, FlowState } from "../src/flows/index.js"
import { createAuthClient } from "../src/index.js"
import { openPage, type TestPage } from "./page.js"

export const address = "ada@example.com"
export const password = "correct horse battery"
export const newPassword = "another staple of words"

export interface FlowHostOptions extends Omit<TestHostOptions, "providers" | "adapter"> {
  readonly passwords?: Partial<PasswordsOptions>
  readonly secondFactor?: Partial<SecondFactorOptions>
  /** Whether there are no passwords. */
  readonly hasNoPasswords?: boolean
}

export interface FlowHost {
  readonly host: TestHost
  readonly page: TestPage
  readonly adapter: MemoryAdapter
  /** What the tab keeps over a reload. */
  readonly storage: Map<string, string>
  /** The code of the newest mail of `Passwords` to an address. */
  codeTo(address: string): string
  /** Begins a flow, as a component that is mounted does. */
  begin<Step>(
    create: (options: { readonly client: () => ReturnType<typeof createAuthClient> }) => Flow<Step>,
  ): Opened<Step>
  /** Creates an account in another browser; with `isEnrolled` also an authenticator app. */
  signUp(email?: string): Promise<void>
  enroll(email?: string): Promise<Enrolled>
  /** The user of the browser's session. */
  findUser(): Promise<string | null | undefined>
}

/** A user with an authenticator app. */
export interface Enrolled {
  readonly app: AuthenticatorApp
  readonly codes: readonly string[]
  /** Where the account was created. */
  readonly browser: TestHost["browser"]
}

/** A flow that is shown. */
export interface Opened<Step> {
  readonly flow: Flow<Step>
  state(): FlowState<Step>
  /** The state at a step. @throws if it is another one */
  at<Name extends NameOf<Step>>(step: Name): Extract<FlowState<Step>, { readonly step: Name }>
  /** The same, as soon as nothing is pending. */
  arrive<Name extends NameOf<Step>>(step: Name): Promise<Extract<FlowState<Step>, { readonly step: Name }>>
}

type NameOf<Step> = Step extends { readonly step: infer Name } ? Name : never

/** A service with passwords, mailed codes, passkeys and second factors, and a page of the app. */
export function openFlows(options: FlowHostOptions = {}): FlowHost {
  const { passwords, secondFactor, hasNoPasswords = false, ...given } = options
  const adapter = memoryAdapter()
  const mails: AddressedMail[] = []
  const own = Passwords({ mail: { send: (mail) => void mails.push(mail) }, breached: false, ...passwords })
  const host = testHost({
    adapter,
    secondFactors: secondFactors({ factors: [totp(), recoveryCodes()], ...secondFactor }),
    securityNotices: false,
    providers: ({ idp }) => [...(hasNoPasswords ? [] : [own]), testEmail({ code: true }), idp.provider(), Passkey()],
    ...given,
  })
  const page = openPage(host)
  const storage = stubStorage()

  function codeTo(to: string): string {
    const mail = mails.findLast((each) => each.to === to)
    return /^\d{6}$/m.exec(mail?.text ?? "")?.[0] ?? ""
  }

  async function post(browser: TestHost["browser"], path: string, fields: Record<string, string>): Promise<unknown> {
    const headers = { accept: "application/json" }
    const token = await (await browser.fetch("/auth/csrf", { headers })).json()
    const body = new URLSearchParams({ ...fields, csrfToken: String(Reflect.get(Object(token), "csrfToken")) })
    return (await browser.fetch(`/auth/${path}`, { method: "POST", body, headers })).json()
  }

  async function signUp(email = address): Promise<TestHost["browser"]> {
    const browser = host.newBrowser()
    await post(browser, "password/sign-up", { email, password })
    await post(browser, "password/sign-up", { code: codeTo(email) })
    return browser
  }

  return {
    host,
    page,
    adapter,
    storage,
    codeTo,
    begin: (create) => open(create({ client: () => createAuthClient() })),
    signUp: async (email) => void (await signUp(email)),
    async enroll(email) {
      const browser = await signUp(email)
      const setup = Object(await post(browser, "account/factors", { action: "begin-totp" }))
      const app = authenticatorApp(String(setup.secret))
      const code = await app.code()
      const done = Object(
        await post(browser, "account/factors", { action: "confirm-totp", ticket: setup.ticket, code }),
      )
      return { app, codes: done.recoveryCodes, browser }
    },
    findUser: async () => (await host.browser.session())?.user?.email,
  }
}

function stubStorage(): Map<string, string> {
  const storage = new Map<string, string>()
  vi.stubGlobal("sessionStorage", {
    getItem: (name: string) => storage.get(name) ?? null,
    setItem: (name: string, value: string) => void storage.set(name, value),
    removeItem: (name: string) => void storage.delete(name),
  })
  return storage
}

function open<Step>(flow: Flow<Step>): Opened<Step> {
  flow.subscribe(() => undefined)
  const nameOf = () => Reflect.get(Object(flow.getState()), "step")
  const at: Opened<Step>["at"] = (step) => {
    if (nameOf() !== step)
      throw new Error(`The flow is at ${nameOf()}, not at ${step}: ${JSON.stringify(flow.getState())}`)
    return flow.getState() as never // as: just compared.
  }
  return {
    flow,
    state: flow.getState,
    at,
    arrive: async (step) => vi.waitFor(() => at(step)),
  }
}
