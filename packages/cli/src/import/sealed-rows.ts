import { type AuthConfig, AuthError } from "@latchkey/core"
import type {
  Adapter,
  AdapterAuthenticator,
  AdapterFactor,
  AdapterUser,
  ImportedUser,
  StoredPassword,
} from "@latchkey/core/adapters"
import { importPassword } from "@latchkey/core/passwords"
import type { ImportedTotp } from "@latchkey/core/second-factors"
import { PasskeyMistake, type PasskeyOwner, toPasskeyRows } from "./passkey-rows.js"
import type { SourcePasskey, SourceTotp } from "./records.js"

/** Why a row is not stored. The message has no address, hash or secret. */
export class RowRefused extends Error {
  override readonly name = "RowRefused"
}

/** What a user signs in with, besides accounts. */
export interface Credentials {
  readonly password: string | null
  readonly totp: readonly SourceTotp[]
  readonly recoveryCodes: readonly string[]
  readonly passkeys: readonly SourcePasskey[]
}

/** The rows of credentials, and sentences about those that cannot come along. */
export interface CredentialRows extends Pick<ImportedUser, "accounts" | "password" | "factors" | "passkeys"> {
  readonly left: readonly string[]
}

/** @throws RowRefused */
export type Maker = (user: AdapterUser, credentials: Credentials) => Promise<CredentialRows>

/** What the service has written for a user. */
interface Written {
  readonly user: AdapterUser
  password: StoredPassword | null
  readonly accounts: ImportedUser["accounts"][number][]
  readonly factors: AdapterFactor[]
  readonly passkeys: AdapterAuthenticator[]
}

/** The app whose service makes the rows. */
export interface MakerTarget {
  readonly config: AuthConfig
  /** The types of its providers by their ids. */
  readonly providers: ReadonlyMap<string, string> | null
}

/**
 * Lets the service make the rows of credentials: it checks hashes and seals secrets. It gets a store that has the user alone
 * and keeps what is written, so that the rows can be stored later, in one transaction with many others.
 */
export function createMaker({ config, providers }: MakerTarget): Maker {
  const provider = [...(providers ?? [])].find(([, type]) => type === "webauthn")?.[0]
  const current: { written: Written | null } = { written: null }
  const silent = { error() {}, warn() {}, debug() {} }
  // No mail to a million users, and no event for each: they have changed nothing.
  const own: AuthConfig = {
    ...config,
    events: {},
    logger: silent,
    adapter: recordWrites(config.adapter ?? {}, current),
  }
  return async (user, credentials) => {
    const written: Written = { user, password: null, accounts: [], factors: [], passkeys: [] }
    current.written = written
    if (credentials.passkeys.length > 0 && provider === undefined) throw new RowRefused(withoutPasskeys)
    const { password: hash } = credentials
    const refusal = hash === null ? null : await findRefusal(importPassword(own, user.id, hash))
    if (refusal !== null) throw new RowRefused(`The password is refused. ${refusal}`)
    const owner = { userId: user.id, provider: provider ?? "" }
    const lost = credentials.passkeys.flatMap((passkey) => addPasskey(passkey, owner, written))
    const left = [...lost, ...(await addFactors(own, user.id, credentials))]
    const { password, accounts, factors, passkeys } = written
    return { password, accounts, factors, passkeys, left }
  }
}

/** @returns what cannot come along */
async function addFactors(
  config: AuthConfig,
  userId: string,
  { totp: [app, ...others], recoveryCodes: codes }: Credentials,
): Promise<readonly string[]> {
  if (!app && codes.length === 0) return []
  const { importFactor, importRecoveryCodes } = await import("@latchkey/core/second-factors")
  const ofApp = app ? await findRefusal(importFactor(config, userId, toImportedTotp(app))) : null
  // Last: they need another factor.
  const ofCodes = codes.length > 0 ? await findRefusal(importRecoveryCodes(config, userId, codes)) : null
  return [
    ...(ofApp === null ? [] : [`The authenticator app. ${ofApp}`]),
    ...(others.length > 0 ? ["All authenticator apps but the first"] : []),
    ...(ofCodes === null ? [] : [`The recovery codes. ${ofCodes}`]),
  ]
}

/** Said before anything is written if the source can count its passkeys. */
export const withoutPasskeys = "The app has no provider for passkeys. Add one, or add --skip passkeys"

/** @returns why it cannot come along, if that is so */
function addPasskey(given: SourcePasskey, owner: PasskeyOwner, { accounts, passkeys }: Written): readonly string[] {
  try {
    const made = toPasskeyRows(given, owner)
    accounts.push(made.account)
    passkeys.push(made.passkey)
    return []
  } catch (error) {
    if (error instanceof PasskeyMistake) return [`A passkey. ${error.message}`]
    throw error
  }
}

function toImportedTotp({ secret, label, digits, period, algorithm }: SourceTotp): ImportedTotp {
  return { kind: "totp", secret, label: label ?? undefined, digits, period, algorithm }
}

/** Why the service refuses what it was given. Null if it does not. Any other error is about the configuration. */
async function findRefusal(call: Promise<unknown>): Promise<string | null> {
  try {
    await call
    return null
  } catch (error) {
    if (error instanceof AuthError && error.type === "InvalidRequest") return error.message
    throw error
  }
}

/** The methods of an adapter, over a store with one user. Those that it lacks are absent here as well. */
function recordWrites(adapter: Adapter, current: { readonly written: Written | null }): Adapter {
  const use = (): Written => current.written ?? fail()
  const own: Adapter = {
    getUser: (id) => (id === use().user.id ? use().user : null),
    setPassword({ userId, hash, changedAt }) {
      use().password = { userId, hash, changedAt }
      return true
    },
    listFactors: () => use().factors,
    createFactor: (factor) => use().factors.push(factor),
    listAuthenticatorsByUserId: () => use().passkeys,
    transaction: (work) => work(recorder),
  }
  const recorder: Adapter = new Proxy(adapter, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name)
      return typeof method === "function" ? (Reflect.get(own, name) ?? method) : method
    },
  })
  return recorder
}

function fail(): never {
  throw new TypeError("The service looks for a user who is not imported")
}
