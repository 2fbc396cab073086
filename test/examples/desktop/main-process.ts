// The main process of the Electron example, without Electron: the modules that it has built, in a process of their own.
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"

const [module = "", issuer, tokenFile, key = ""] = process.argv.slice(2)
const { openAccount } = await import(module)

/** The interface of Electron's `safeStorage`. Throws for what another key has encrypted, as the keychain of the system does. */
const safeStorage = {
  isEncryptionAvailable: () => true,
  encryptString(text: string): Buffer {
    const iv = randomBytes(12)
    const cipher = createCipheriv("aes-256-gcm", Buffer.from(key, "hex"), iv)
    return Buffer.concat([iv, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()])
  },
  decryptString(encrypted: Buffer): string {
    const decipher = createDecipheriv("aes-256-gcm", Buffer.from(key, "hex"), encrypted.subarray(0, 12))
    decipher.setAuthTag(encrypted.subarray(-16))
    return `${decipher.update(encrypted.subarray(12, -16), undefined, "utf8")}${decipher.final("utf8")}`
  },
}

const openBrowser = async (opened: string): Promise<void> => void process.send?.({ opened })
const account = openAccount({ issuer, openBrowser, safeStorage, tokenFile })

process.on("message", async ({ id, name }: { readonly id: number; readonly name: string }) => {
  process.send?.({ id, view: await account[name]() })
})
process.send?.({ isReady: true })
