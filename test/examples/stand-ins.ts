import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { identityProvider } from "../../apps/demo/src/identity-provider/identity-provider.js"
import { openPeople, openRecordStore } from "../../apps/demo/src/identity-provider/stores.js"
import { startMailServer } from "../../apps/demo/src/inbox/mail-server.js"
import { openMailStore, type StoredMail } from "../../apps/demo/src/inbox/mail-store.js"
import { openDataFolder } from "../../apps/demo/src/settings/data-folder.js"
import { loadSecrets } from "../../apps/demo/src/settings/settings.js"
import { listenOnLoopback } from "../../apps/demo/src/web/loopback-server.js"

/** The services of an app: an OpenID provider, a mail server and a data folder. */
export interface StandIns {
  /** The environment variables that point the app to them. */
  readonly env: Readonly<Record<string, string>>
  /** The newest email to an address. */
  findMail(address: string): StoredMail | undefined
  close(): Promise<void>
}

const clientId = "latchkey-example"

/** @param redirectUri the only redirect URI that the provider accepts */
export async function openStandIns(redirectUri: string): Promise<StandIns> {
  const folder = await openDataFolder(await mkdtemp(join(tmpdir(), "latchkey-example-")))
  const secrets = await loadSecrets(folder)
  const people = openPeople(folder.file("provider.sqlite"))
  const records = openRecordStore(folder.file("provider.sqlite"))
  const mails = openMailStore(folder.file("inbox.sqlite"))
  const mailServer = await startMailServer(0, mails)
  const provider = await listenOnLoopback(0)
  provider.serve(
    identityProvider({ issuer: provider.origin, app: { clientId, redirectUri }, secrets, people, records }),
  )
  return {
    env: {
      AUTH_SECRET: secrets.app,
      AUTH_DEMO_ISSUER: provider.origin,
      AUTH_DEMO_ID: clientId,
      AUTH_DEMO_SECRET: secrets.client,
      EMAIL_SERVER: `smtp://127.0.0.1:${mailServer.port}`,
      EMAIL_FROM: "Latchkey example <sign-in@example.com>",
      DATA_FILE: folder.file("app.sqlite"),
    },
    findMail: (address) => mails.list().find(({ to }) => to === address),
    close: async () => {
      await Promise.all([provider.close(), mailServer.close()])
      for (const store of [people, records, mails]) store.close()
      await rm(folder.path, { recursive: true })
    },
  }
}
