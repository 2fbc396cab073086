import { runApp } from "../../host/redact.js"
import type { AdapterAccount, AdapterAuthenticator, AdapterUser } from "../../types/adapter.js"
import type { AdapterFactor } from "../../types/adapter-features.js"
import { formerAddresses } from "./former-addresses.js"
import type { UserExport } from "./names.js"
import type { Visit } from "./section.js"

/**
 * Everything that is kept about a user, as JSON. Every field is named here, so that a field that a store or a later version
 * adds stays out of the file until someone decides that it is not a secret.
 */
export async function collectOwnData(visit: Visit): Promise<object> {
  const { settings, store, user, userId, sessions } = visit
  const { id, name = null, email, emailVerified, image = null } = user
  const [accounts, passkeys, password, factors, former] = await Promise.all([
    store.has("listAccountsByUserId") ? store.listAccountsByUserId(userId) : [],
    store.has("listAuthenticatorsByUserId") ? store.listAuthenticatorsByUserId(userId) : [],
    store.has("getPassword") ? store.getPassword(userId) : null,
    store.has("listFactors") ? store.listFactors(userId) : [],
    listFormer(visit),
  ])
  return {
    exportedAt: new Date(),
    user: { id, name, email, emailVerified, image },
    formerAddresses: former,
    accounts: accounts.map(describeAccount),
    passkeys: passkeys.map(describePasskey),
    password: password && { changedAt: password.changedAt },
    secondFactors: factors.filter(isOwnFactor).map(describeFactor),
    rememberedDevices: factors.filter(({ kind }) => kind === "device").map(describeDevice),
    sessions: sessions ?? [],
    ...(settings.exportUser && { app: await exportUser(user, settings.exportUser) }),
  }
}

const exportUser = (user: AdapterUser, own: UserExport): Promise<unknown> =>
  runApp("accountArea.exportUser", () => own(user), [user])

async function listFormer({ context, store, userId }: Visit): Promise<readonly object[]> {
  if (!store.has("listAccountChanges")) return []
  const kept = await formerAddresses(store, context.secrets).list(userId)
  return kept.map(({ email, until }) => ({ email, keptUntil: new Date(until) }))
}

function describeAccount({ provider, type, providerAccountId, scope }: AdapterAccount): object {
  return { provider, type, providerAccountId, scope: scope ?? null }
}

function describePasskey(passkey: AdapterAuthenticator): object {
  const { name, lastUsedAt, credentialDeviceType, credentialBackedUp, transports } = passkey
  return { name, lastUsedAt, deviceType: credentialDeviceType, isBackedUp: credentialBackedUp, transports }
}

/** Other rows are kept beside the factors: they are ours, not the user's. */
function isOwnFactor({ kind }: AdapterFactor): boolean {
  return kind === "totp" || kind === "recovery"
}

function describeFactor({ kind, label, createdAt, lastUsedAt }: AdapterFactor): object {
  return { kind, label: kind === "totp" ? label : null, createdAt, lastUsedAt }
}

/** A device that is not asked for a second factor. */
function describeDevice({ createdAt, lastUsedAt }: AdapterFactor): object {
  return { createdAt, lastUsedAt }
}
