import { generateKeyPairSync, type JsonWebKey, randomBytes } from "node:crypto"
import type { DataFolder } from "./data-folder.js"

/** What nobody outside this machine may know. Made once, on the first start. */
export interface DemoSecrets {
  /** The secret of the app's sessions and cookies. */
  readonly app: string
  /** Shared by the app and the identity provider. */
  readonly client: string
  /** Signs the identity provider's cookies. */
  readonly cookies: string
  /** Private RSA key with which the identity provider signs ID tokens. */
  readonly signingKey: JsonWebKey
}

const fileName = "secrets.json"

/** The secrets of an earlier start, or new ones. @throws when the file is damaged; the message says what to do. */
export async function loadSecrets(folder: DataFolder): Promise<DemoSecrets> {
  const stored = await folder.readJson(fileName)
  if (stored !== null) return parseSecrets(stored, folder.file(fileName))
  const created = createSecrets()
  if (await folder.createJson(fileName, created)) return created
  // Another demo began on the same folder at the same moment; what it wrote counts.
  return parseSecrets(await folder.readJson(fileName), folder.file(fileName))
}

function createSecrets(): DemoSecrets {
  const random = (): string => randomBytes(32).toString("base64url")
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
  const key = privateKey.export({ format: "jwk" })
  return {
    app: random(),
    client: random(),
    cookies: random(),
    signingKey: { ...key, kid: randomBytes(8).toString("hex"), use: "sig", alg: "RS256" },
  }
}

function parseSecrets(stored: unknown, path: string): DemoSecrets {
  if (isSecrets(stored)) return stored
  throw new Error(
    `${path} is damaged. Delete it to have new secrets made; everyone who is signed in is then signed out.`,
  )
}

function isSecrets(value: unknown): value is DemoSecrets {
  if (typeof value !== "object" || value === null) return false
  const fields: Partial<Record<string, unknown>> = { ...value }
  const texts = [fields["app"], fields["client"], fields["cookies"]]
  const key = fields["signingKey"]
  return texts.every((text) => typeof text === "string" && text.length >= 32) && typeof key === "object" && key !== null
}
