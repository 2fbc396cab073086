import { existsSync } from "node:fs"

// docs/decisions/headless-shell.md says why the shell comes first.
const candidates = [process.env["CHROMIUM_PATH"], "/usr/bin/chromium-headless-shell", "/usr/bin/chromium"]

/** The executable of all tests and pictures. Undefined if there is none: `CHROMIUM_PATH` names one that stands elsewhere. */
export const chromiumPath: string | undefined = candidates.find((path) => path && existsSync(path))
