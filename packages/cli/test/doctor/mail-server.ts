import { createSocket } from "node:dgram"
import { createServer, type Socket } from "node:net"
import { createServer as createTlsServer } from "node:tls"
import { onTestFinished } from "vitest"
import type { Certificate } from "../../../../test/examples/tls-proxy.js"

/** What the mail server answers to commands that begin so, in place of what it usually does. */
export type Answers = Readonly<Record<string, string>>

const usual: Answers = {
  "": "220 mail.test",
  EHLO: "250-mail.test\r\n250 AUTH PLAIN LOGIN",
  AUTH: "235 welcome",
  "MAIL FROM": "250 sender",
  "RCPT TO": "250 recipient",
  DATA: "354 go on",
  RSET: "250 reset",
  QUIT: "221 bye",
}

/** A server's side of a connection: the answer to each line, and none within a mail. */
function createDialogue(known: Answers, commands: string[]): (line: string) => string | null {
  let isData = false
  return (line) => {
    if (isData) {
      isData = line !== "."
      return isData ? null : "250 queued"
    }
    commands.push(line)
    isData = line === "DATA"
    const name = Object.keys(known).findLast((each) => each !== "" && line.startsWith(each))
    return name === undefined ? "500 unknown" : (known[name] ?? null)
  }
}

/** A mail server that runs until the test ends. */
export interface MailServer {
  readonly url: string
  readonly port: number
  /** What it was told, oldest first. */
  readonly commands: readonly string[]
  close(): Promise<void>
}

/**
 * Starts an SMTP server (RFC 5321). Returns its URL and the commands that it got.
 * @param certificate Encrypts from the first byte.
 */
export async function startSmtp(answers: Answers = {}, certificate?: Certificate): Promise<MailServer> {
  const commands: string[] = []
  const known = { ...usual, ...answers }
  const talk = (socket: Socket) => {
    const answer = createDialogue(known, commands)
    socket.on("error", () => undefined)
    socket.write(`${known[""]}\r\n`)
    socket.on("data", (chunk) => {
      const said = String(chunk).split("\r\n").filter(Boolean).map(answer)
      for (const line of said) if (line !== null) socket.write(`${line}\r\n`)
    })
  }
  const server = certificate ? createTlsServer({ ...certificate }, talk) : createServer(talk)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()))
  onTestFinished(close)
  const address = server.address()
  const port = typeof address === "object" && address ? address.port : 0
  return { url: `smtp://user:pass%2Dword@127.0.0.1:${port}`, commands, port, close }
}

/** Starts a DNS server that knows these texts (RFC 1035), until the test ends. Returns its address. */
export async function startDns(texts: Readonly<Record<string, readonly string[]>>): Promise<string> {
  const socket = createSocket("udp4")
  socket.on("message", (query, { port, address }) => {
    const end = query.indexOf(0, 12) + 5
    const labels: string[] = []
    for (let at = 12; query[at] !== 0; at += (query[at] ?? 0) + 1)
      labels.push(query.toString("latin1", at + 1, at + 1 + (query[at] ?? 0)))
    const found = texts[labels.join(".")] ?? []
    const header = Buffer.from(query.subarray(0, 12))
    header.writeUInt16BE(found.length > 0 ? 0x8180 : 0x8183, 2)
    header.writeUInt16BE(found.length, 6)
    header.fill(0, 8)
    const answers = found.map((text) => {
      const data = Buffer.concat([Buffer.from([text.length]), Buffer.from(text, "latin1")])
      const head = Buffer.from([0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 60, 0, data.length])
      return Buffer.concat([head, data])
    })
    socket.send(Buffer.concat([header, query.subarray(12, end), ...answers]), port, address)
  })
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve))
  onTestFinished(() => void socket.close())
  return `127.0.0.1:${socket.address().port}`
}
