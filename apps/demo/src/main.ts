import { fileURLToPath } from "node:url"
import { demoUser } from "./app/auth-config.js"
import { readDemoOptions } from "./settings/settings.js"
import { type RunningDemo, startDemo } from "./start-demo.js"

/** A shell's exit code for a process that was ended by Ctrl-C. */
const interrupted = 130

async function main(): Promise<void> {
  // A demo on the developer's own machine: its error pages show the details.
  process.env["NODE_ENV"] ??= "development"
  const defaultDataFolder = fileURLToPath(new URL("../.data", import.meta.url))
  const demo = await startDemo(readDemoOptions(process.env, defaultDataFolder))
  console.log(`\n${renderSummary(demo)}\n`)
  let isStopping = false
  const stop = (): void => {
    // A second Ctrl-C does not wait.
    if (isStopping) process.exit(interrupted)
    isStopping = true
    console.log("\nStopping the demo.")
    // The process exits by itself once everything is closed.
    demo.close().catch(fail)
  }
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop)
}

function fail(error: unknown): void {
  console.error(`\nThe demo failed: ${error instanceof Error ? error.message : String(error)}`)
  if (error instanceof Error && error.cause) console.error(error.cause)
  process.exitCode = 1
}

/** The box that the terminal shows after the start. */
function renderSummary(demo: RunningDemo): string {
  const { ports } = demo
  const rows: readonly (readonly [string, string])[] = [
    ["Open", demo.origin],
    ["", ""],
    ["Sign in as", `${demoUser.email} with password ${demoUser.password}`],
    ["", "or by email: use any address, then take the link or the six digits from the inbox"],
    ["", "or with Demo ID: choose a person there"],
    ["", "or with a passkey: use any address"],
    ["", ""],
    ["Inbox", `${demo.origin}/inbox`],
    ["Demo ID", `${demo.identityProviderOrigin} (OpenID provider)`],
    ["Mail server", `127.0.0.1:${ports.smtp} (SMTP, delivers to the inbox)`],
    ["Data folder", demo.dataFolder],
    ...movedRows(demo),
    ["", ""],
    ["Stop", "Ctrl-C; the data is kept for the next start"],
  ]
  return frame(
    "Latchkey demo",
    rows.map(([name, text]) => (name || text ? `${name.padEnd(11)}  ${text}` : "")),
  )
}

function movedRows({ ports, wantedPorts }: RunningDemo): readonly (readonly [string, string])[] {
  const moved = (["app", "identityProvider", "smtp"] as const).filter(
    (name) => wantedPorts[name] !== 0 && ports[name] !== wantedPorts[name],
  )
  const notes = moved.map((name) => `port ${wantedPorts[name]} is in use, so ${ports[name]} is used instead`)
  return notes.map((text, index) => [index === 0 ? "Note" : "", text])
}

function frame(title: string, lines: readonly string[]): string {
  const width = Math.max(title.length + 2, ...lines.map((line) => line.length))
  const row = (line: string): string => `│ ${line.padEnd(width)} │`
  const top = `┌─ ${title} ${"─".repeat(width - title.length - 1)}┐`
  return [top, row(""), ...lines.map(row), row(""), `└${"─".repeat(width + 2)}┘`].join("\n")
}

main().catch(fail)
