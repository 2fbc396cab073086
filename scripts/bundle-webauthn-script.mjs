// Makes the passkey script of the built-in pages: one file from packages/client, as a module that packages/core can
// serve without reading files. Runs before whatever builds, checks or tests; the result is not committed.
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { build } from "esbuild"

const root = join(import.meta.dirname, "..")
const entry = join(root, "packages", "client", "src", "webauthn", "page.ts")
const folder = join(root, "packages", "core", "src", "pages", "generated")

/** The library's licence asks that its text goes with every copy. */
function readLicence() {
  const manifest = createRequire(entry).resolve("@simplewebauthn/browser")
  const text = readFileSync(join(dirname(dirname(manifest)), "LICENSE.md"), "utf8")
  return `/*! Contains @simplewebauthn/browser.\n${text.trim()}\n*/`
}

const { outputFiles } = await build({
  entryPoints: [entry],
  bundle: true,
  minify: true,
  format: "iife",
  // Every browser that has passkeys with autofill.
  target: ["es2022"],
  banner: { js: readLicence() },
  legalComments: "none",
  charset: "utf8",
  write: false,
})

const [{ text }] = outputFiles
const version = createHash("sha256").update(text).digest("hex").slice(0, 12)
const origin = "// Made by scripts/bundle-webauthn-script.mjs from packages/client/src/webauthn/page.ts."

/**
 * Left alone when nothing has changed, so that nothing is built anew; put in place whole, for whoever reads it
 * meanwhile.
 */
function write(name, declaration) {
  const target = join(folder, name)
  const module = `${origin}\n\n${declaration}\n`
  if (existsSync(target) && readFileSync(target, "utf8") === module) return
  mkdirSync(folder, { recursive: true })
  const fresh = `${target}.${process.pid}.tmp`
  writeFileSync(fresh, module)
  renameSync(fresh, target)
}

// The version stands apart, so that a page can name it without the script being loaded.
write("webauthn-script.ts", `export const webAuthnScript: string = ${JSON.stringify(text)}`)
write("webauthn-script-version.ts", `export const webAuthnScriptVersion: string = ${JSON.stringify(version)}`)
