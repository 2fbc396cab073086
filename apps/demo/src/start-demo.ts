import { demoApp } from "./app/app.js"
import { authConfig, identityProviderId } from "./app/auth-config.js"
import { createDemoPerson } from "./app/create-demo-person.js"
import { type Cleanup, createCleanup } from "./cleanup.js"
import { identityProvider } from "./identity-provider/identity-provider.js"
import type { RegisteredApp } from "./identity-provider/oidc.js"
import { type MailServer, startMailServer } from "./inbox/mail-server.js"
import { type PasswordCheck, passwordCheck } from "./passwords/password-check.js"
import type { PasswordHasher } from "./passwords/password-hasher.js"
import { openDataFolder } from "./settings/data-folder.js"
import type { DemoOptions, DemoPorts } from "./settings/demo-options.js"
import { rememberPorts, resolvePorts } from "./settings/remembered-ports.js"
import { type DemoSecrets, loadSecrets } from "./settings/secrets.js"
import { openStores, type Stores } from "./stores.js"
import { type LoopbackServer, listenOnLoopback } from "./web/loopback-server.js"

/** A demo that answers. */
export interface RunningDemo {
  /** Where the app is opened: `http://localhost:<port>`. */
  readonly origin: string
  readonly identityProviderOrigin: string
  readonly ports: DemoPorts
  /** The ports that were asked for. Where `ports` has another one, that was taken. */
  readonly wantedPorts: DemoPorts
  readonly dataFolder: string
  readonly passwordHash: PasswordHasher["name"]
  /** Stops every server and closes every file. */
  close(): Promise<void>
}

/**
 * Starts the app, the identity provider and the mail server on the loopback interface.
 * @throws when the data folder cannot be used; nothing is left running then.
 */
export async function startDemo(options: DemoOptions): Promise<RunningDemo> {
  const cleanup = createCleanup()
  try {
    return await start(options, cleanup)
  } catch (error) {
    await cleanup.run()
    throw error
  }
}

async function start(options: DemoOptions, cleanup: Cleanup): Promise<RunningDemo> {
  const folder = await openDataFolder(options.dataFolder)
  const secrets = await loadSecrets(folder)
  const stores = openStores(folder, cleanup)
  const passwords = passwordCheck(stores.passwords)
  await createDemoPerson(stores.adapter, stores.passwords, passwords)
  await stores.adapter.removeExpired()
  const wantedPorts = await resolvePorts(folder, options.ports)
  const servers = await openServers(wantedPorts, stores, cleanup)
  connect(servers, { secrets, stores, passwords })
  const ports = { app: servers.app.port, identityProvider: servers.identityProvider.port, smtp: servers.mail.port }
  await rememberPorts(folder, ports)
  return {
    origin: servers.app.origin,
    identityProviderOrigin: servers.identityProvider.origin,
    ports,
    wantedPorts,
    dataFolder: folder.path,
    passwordHash: await passwords.algorithm(),
    close: () => cleanup.run(),
  }
}

interface Servers {
  readonly app: LoopbackServer
  readonly identityProvider: LoopbackServer
  readonly mail: MailServer
}

async function openServers(wanted: DemoPorts, stores: Stores, cleanup: Cleanup): Promise<Servers> {
  return {
    app: cleanup.add(await listenOnLoopback(wanted.app)),
    identityProvider: cleanup.add(await listenOnLoopback(wanted.identityProvider)),
    mail: cleanup.add(await startMailServer(wanted.smtp, stores.mails)),
  }
}

interface Parts {
  readonly secrets: DemoSecrets
  readonly stores: Stores
  readonly passwords: PasswordCheck
}

/** Each of the servers learns where the others are, and begins to answer. */
function connect(servers: Servers, { secrets, stores, passwords }: Parts): void {
  const { origin } = servers.app
  const issuer = servers.identityProvider.origin
  const app: RegisteredApp = { clientId: "latchkey-demo", redirectUri: `${origin}/auth/callback/${identityProviderId}` }
  const config = authConfig({
    secret: secrets.app,
    adapter: stores.adapter,
    passwords,
    smtpPort: servers.mail.port,
    identityProvider: { issuer, clientId: app.clientId, clientSecret: secrets.client },
  })
  servers.identityProvider.serve(
    identityProvider({ issuer, app, secrets, people: stores.people, records: stores.records }),
  )
  servers.app.serve(
    demoApp({
      origin,
      config,
      identityProviderOrigin: issuer,
      records: stores.accounts,
      passkeys: stores.passkeys,
      passwords: stores.passwords,
      mails: stores.mails,
    }),
  )
}
