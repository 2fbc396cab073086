import type { AuthConfig } from "@latchkey/core"
import { setPassword } from "@latchkey/core/passwords"
import { demoApp } from "./app/app.js"
import { authConfig, demoUser, identityProviderId } from "./app/auth-config.js"
import { openUserStore, type UserStore } from "./app/user-store.js"
import { identityProvider, type RegisteredApp } from "./identity-provider/identity-provider.js"
import { openPeople, openRecordStore, type People, type RecordStore } from "./identity-provider/stores.js"
import { type MailServer, startMailServer } from "./inbox/mail-server.js"
import { type MailStore, openMailStore } from "./inbox/mail-store.js"
import { type DataFolder, openDataFolder } from "./settings/data-folder.js"
import {
  type DemoOptions,
  type DemoPorts,
  type DemoSecrets,
  loadSecrets,
  resolvePorts,
  savePorts,
} from "./settings/settings.js"
import { type LoopbackServer, listenOnLoopback } from "./web/loopback-server.js"

export interface RunningDemo {
  /** URL of the app: `http://localhost:<port>`. */
  readonly origin: string
  readonly identityProviderOrigin: string
  readonly ports: DemoPorts
  /** The ports that were tried first. `ports` differs where one was in use. */
  readonly wantedPorts: DemoPorts
  readonly dataFolder: string
  /** Stops every server and closes every file. */
  close(): Promise<void>
}

/**
 * Starts the app, the identity provider and the mail server on the loopback interface.
 * @throws when the data folder cannot be used; nothing is left running then
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
  const stores = await openStores(folder, options.database, cleanup)
  const wantedPorts = await resolvePorts(folder, options.ports)
  const servers: Servers = {
    app: cleanup.add(await listenOnLoopback(wantedPorts.app)),
    identityProvider: cleanup.add(await listenOnLoopback(wantedPorts.identityProvider)),
    mail: cleanup.add(await startMailServer(wantedPorts.smtp, stores.mails)),
  }
  await createDemoUser(stores.users, connect(servers, { secrets, stores }))
  const ports = { app: servers.app.port, identityProvider: servers.identityProvider.port, smtp: servers.mail.port }
  await savePorts(folder, ports)
  return {
    origin: servers.app.origin,
    identityProviderOrigin: servers.identityProvider.origin,
    ports,
    wantedPorts,
    dataFolder: folder.path,
    close: () => cleanup.run(),
  }
}

interface Closable {
  close(): unknown
}

/** Closes in reverse order: what was opened later depends on what was opened before. */
interface Cleanup {
  /** @returns its argument, so that a value can be opened and added in one expression */
  add<T extends Closable>(opened: T): T
  run(): Promise<void>
}

function createCleanup(): Cleanup {
  const opened: Closable[] = []
  return {
    add: (next) => {
      opened.push(next)
      return next
    },
    run: async () => {
      for (let last = opened.pop(); last; last = opened.pop()) await last.close()
    },
  }
}

/** One store for the app, one file for the identity provider, one for the inbox. */
interface Stores {
  readonly users: UserStore
  readonly records: RecordStore
  readonly people: People
  readonly mails: MailStore
}

async function openStores(folder: DataFolder, database: string | undefined, cleanup: Cleanup): Promise<Stores> {
  const users = cleanup.add(await openUserStore(database ?? folder.file("app.sqlite")))
  const providerFile = folder.file("identity-provider.sqlite")
  return {
    users,
    records: cleanup.add(openRecordStore(providerFile)),
    people: cleanup.add(openPeople(providerFile)),
    mails: cleanup.add(openMailStore(folder.file("inbox.sqlite"))),
  }
}

/** Creates the user whose address and password are printed, unless an earlier start did. */
async function createDemoUser({ adapter }: UserStore, config: AuthConfig): Promise<void> {
  const { password, name, email } = demoUser
  const newUser = { id: crypto.randomUUID(), name, email, emailVerified: new Date() }
  const user = (await adapter.getUserByEmail(email)) ?? (await adapter.createUser(newUser))
  if (!(await adapter.getPassword?.(user.id))) await setPassword(config, user.id, password)
}

interface Servers {
  readonly app: LoopbackServer
  readonly identityProvider: LoopbackServer
  readonly mail: MailServer
}

interface Parts {
  readonly secrets: DemoSecrets
  readonly stores: Stores
}

/** Builds the app and the identity provider, which need each other's origin, and starts to serve them. */
function connect(servers: Servers, { secrets, stores }: Parts): AuthConfig {
  const { origin } = servers.app
  const issuer = servers.identityProvider.origin
  const app: RegisteredApp = {
    clientId: "latchkey-demo",
    redirectUri: `${origin}/auth/callback/${identityProviderId}`,
    logout: {
      signedOutUri: `${origin}/auth/signed-out`,
      tokenUri: `${origin}/auth/backchannel-logout/${identityProviderId}`,
    },
  }
  const config = authConfig({
    secret: secrets.app,
    adapter: stores.users.adapter,
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
      mails: stores.mails,
    }),
  )
  return config
}
