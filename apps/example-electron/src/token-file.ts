import { readFile, rename, rm, writeFile } from "node:fs/promises"
import type { TokenStorage } from "@latchkey/client/native"

/** The part of Electron's `safeStorage` that encrypts with a key of the system's keychain. */
export interface SafeStorage {
  isEncryptionAvailable(): boolean
  encryptString(text: string): Buffer
  decryptString(encrypted: Buffer): string
}

/** Keeps the token in a file that only this user of this machine can decrypt. */
export function openTokenFile(file: string, safeStorage: SafeStorage): TokenStorage {
  return {
    async get() {
      try {
        return safeStorage.decryptString(await readFile(file))
      } catch {
        return null // No token, or one of another keychain.
      }
    },
    async set(token) {
      if (!safeStorage.isEncryptionAvailable()) throw new Error("The keychain of the system is locked")
      // A crash while it is written leaves the former token.
      const written = `${file}.new`
      await writeFile(written, safeStorage.encryptString(token), { mode: 0o600 })
      await rename(written, file)
    },
    remove: () => rm(file, { force: true }),
  }
}
