import { demoPerson } from "./app/demo-person.js"
import type { RunningDemo } from "./start-demo.js"

/** What the terminal shows once everything runs: what, where, and how to try it. */
export function renderSummary(demo: RunningDemo): string {
  const { ports } = demo
  const rows: readonly (readonly [string, string])[] = [
    ["Open", demo.origin],
    ["", ""],
    ["Sign in as", `${demoPerson.username} with password ${demoPerson.password}`],
    ["", "or by a link: any address, the mail is in the inbox"],
    ["", "or with Demo ID: choose a person there"],
    ["", "or with a passkey of your device: any address"],
    ["", ""],
    ["Inbox", `${demo.origin}/inbox`],
    ["Demo ID", `${demo.identityProviderOrigin} (OpenID provider)`],
    ["Mail server", `127.0.0.1:${ports.smtp} (SMTP, delivers to the inbox)`],
    ["Passwords", `hashed with ${demo.passwordHash}`],
    ["Kept in", demo.dataFolder],
    ...movedRows(demo),
    ["", ""],
    ["Stop", "Ctrl-C; everything is still there at the next start"],
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
  const taken = moved.map((name) => `port ${wantedPorts[name]} was taken, ${ports[name]} is used`)
  return taken.map((text, index) => [index === 0 ? "Note" : "", text])
}

function frame(title: string, lines: readonly string[]): string {
  const width = Math.max(title.length + 2, ...lines.map((line) => line.length))
  const row = (line: string): string => `│ ${line.padEnd(width)} │`
  const top = `┌─ ${title} ${"─".repeat(width - title.length - 1)}┐`
  return [top, row(""), ...lines.map(row), row(""), `└${"─".repeat(width + 2)}┘`].join("\n")
}
