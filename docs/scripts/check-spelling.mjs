// Spelling of the pages, outside code, against dictionaries in node_modules and the words of docs/words.txt.
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { root } from "./pages.mjs"

const folder = join(root, "docs")
const cspell = join(folder, "node_modules", "cspell", "bin.mjs")
const args = ["lint", "--config", join(folder, "cspell.json"), "--no-progress", "--unique", "--no-must-find-files"]
const { status } = spawnSync(process.execPath, [cspell, ...args], { cwd: folder, stdio: "inherit" })
if (status !== 0) console.error("spelling: correct the words, or add names and terms to docs/words.txt")
process.exit(status ?? 1)
