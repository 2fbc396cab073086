import Passkey from "@latchkey/core/providers/passkey"
import type { WebAuthnUserConfig } from "@latchkey/core/types"
import {
  type AuthenticatorOptions,
  type Browser,
  memoryAdapter,
  type PasskeyClient,
  passkeyClient,
  type SoftwareAuthenticator,
  softwareAuthenticator,
  type TestHost,
  type TestHostOptions,
} from "@latchkey/testkit"
import type { MemoryAdapter } from "@latchkey/testkit/adapter"
import { expect } from "vitest"
import { openHost } from "./hosts.js"
import { type Answer, post, readAnswer } from "./requests.js"
import { passwordProvider } from "./sign-ins.js"

export const strategies = ["jwt", "database"] as const

export const challengeCookie = "__Secure-authjs.challenge"
export const verificationRefused = "https://app.test/auth/error?error=WebAuthnVerificationError"
export const checkRefused = "https://app.test/auth/error?error=Configuration"
export const notLinked = "https://app.test/auth/signin?error=AccountNotLinked"

export interface PasskeyHostOptions extends Omit<TestHostOptions, "providers" | "adapter"> {
  readonly strategy?: (typeof strategies)[number]
  readonly passkey?: WebAuthnUserConfig
  readonly adapter?: Partial<MemoryAdapter>
}

export interface PasskeyHost {
  readonly host: TestHost
  readonly adapter: MemoryAdapter
  /** A person with a browser and a device of their own. */
  visitor(options?: AuthenticatorOptions & { readonly browser?: Browser; readonly path?: string }): Visitor
}

type Answers = "ask" | "finish" | "register" | "signIn"

/** A person who uses the client library. Responses are read completely; redirects are not followed. */
export interface Visitor extends Omit<PasskeyClient, Answers> {
  readonly browser: Browser
  readonly device: SoftwareAuthenticator
  ask(...args: Parameters<PasskeyClient["ask"]>): Promise<Answer>
  finish(...args: Parameters<PasskeyClient["finish"]>): Promise<Answer>
  register(...args: Parameters<PasskeyClient["register"]>): Promise<Answer>
  signIn(...args: Parameters<PasskeyClient["signIn"]>): Promise<Answer>
  /** Signs in as user V, who is created first. */
  signInByPassword(): Promise<void>
}

/** A host with passkeys and passwords. Its store is the testkit's, except for the given methods. */
export function openPasskeys(options: PasskeyHostOptions = {}): PasskeyHost {
  const { strategy = "database", passkey, adapter: override, session, ...given } = options
  const stored = memoryAdapter()
  const adapter = { ...stored, ...override }
  const host = openHost({
    ...given,
    adapter,
    session: { strategy, ...session },
    providers: [Passkey({ ...passkey }), passwordProvider()],
  })
  return {
    host,
    adapter: stored,
    visitor: ({ browser = host.newBrowser(), path = "passkey", ...device } = {}) =>
      createVisitor({ browser, device: softwareAuthenticator(device), path, adapter: stored }),
  }
}

interface VisitorParts {
  readonly browser: Browser
  readonly device: SoftwareAuthenticator
  readonly path: string
  readonly adapter: MemoryAdapter
}

export function createVisitor({ browser, device, path, adapter }: VisitorParts): Visitor {
  const client = passkeyClient({ browser, device, providerId: path })
  return {
    browser,
    device,
    creation: client.creation,
    request: client.request,
    ask: async (query) => readAnswer(await client.ask(query)),
    finish: async (action, data) => readAnswer(await client.finish(action, data)),
    register: async (email, misbehavior) => readAnswer(await client.register(email, misbehavior)),
    signIn: async (misbehavior, email) => readAnswer(await client.signIn(misbehavior, email)),
    async signInByPassword() {
      if (!(await adapter.getUser("u-v"))) {
        await adapter.createUser({ id: "u-v", name: "V", email: "v@corp.test", emailVerified: null })
      }
      expect((await post(browser, "/auth/callback/cred", { u: "v", p: "right" })).location).toBe("https://app.test")
    },
  }
}

/** The rows that passkeys leave in the store. */
export function passkeyWrites(adapter: MemoryAdapter): readonly string[] {
  const writes = ["createUser", "linkAccount", "createAuthenticator", "updateAuthenticatorCounter", "createSession"]
  return adapter.calls.map(({ method }) => method).filter((method) => writes.includes(method))
}
