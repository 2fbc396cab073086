import { connect, isIP, type Socket } from "node:net"
import { connect as connectTls } from "node:tls"

/** A mail server, and how the app signs in to it. */
export interface SmtpServer {
  readonly host: string
  readonly port: number
  /** TLS from the first byte. */
  readonly isSecure: boolean
  /** False for an app that accepts any certificate. */
  readonly verifies: boolean
  readonly user: string | undefined
  readonly password: string | undefined
}

/** The step that a mail server refused, or at which it was lost. */
export type SmtpStep = "connect" | "greeting" | "tls" | "login" | "sender"

/** How far the app got with a mail server. */
export interface SmtpOutcome {
  /** Null if it accepts the sender. */
  readonly failed: SmtpStep | null
  /** The status of RFC 5321 section 4.2. */
  readonly status?: number
  /** The code of a connection that failed, such as ECONNREFUSED. */
  readonly code?: string
  /** Whether the connection was encrypted when the login was sent. */
  readonly isEncrypted: boolean
}

const deadlineMs = 10_000
const maxBytes = 65_536

/** Reads the `server` of the Nodemailer provider: a URL, options, or a transporter. Null for a transport of another kind. */
export function readServer(server: unknown): SmtpServer | null {
  if (typeof server === "string") return readUrl(server)
  const given: unknown = Reflect.get(Object(server), "options") ?? server
  const {
    host,
    port,
    secure,
    auth,
    tls,
    url,
    service,
    sendmail,
    streamTransport,
    jsonTransport,
    SES,
  }: Record<string, unknown> = Object(given)
  if (typeof url === "string") return readUrl(url)
  if (service || sendmail || streamTransport || jsonTransport || SES || typeof host !== "string") return null
  const { user, pass }: Record<string, unknown> = Object(auth)
  const isSecure = secure === true || (secure === undefined && Number(port) === 465)
  return {
    host,
    port: Number(port) || (isSecure ? 465 : 587),
    isSecure,
    verifies: Reflect.get(Object(tls), "rejectUnauthorized") !== false,
    user: typeof user === "string" ? user : undefined,
    password: typeof pass === "string" ? pass : undefined,
  }
}

function readUrl(text: string): SmtpServer | null {
  const url = URL.parse(text)
  if (!url || !/^smtps?:$/.test(url.protocol)) return null
  const isSecure = url.protocol === "smtps:" || url.searchParams.get("secure") === "true"
  return {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: Number(url.port) || (isSecure ? 465 : 587),
    isSecure,
    verifies: url.searchParams.get("tls.rejectUnauthorized") !== "false",
    user: url.username === "" ? undefined : decodeURIComponent(url.username),
    password: url.password === "" ? undefined : decodeURIComponent(url.password),
  }
}

/** Refused by the server, or lost. */
class SmtpFailure extends Error {
  readonly step: SmtpStep
  readonly status: number | undefined

  constructor(step: SmtpStep, status?: number) {
    super(step)
    this.step = step
    this.status = status
  }
}

/**
 * Goes as far as naming the sender, and takes it back: EHLO, STARTTLS, AUTH, MAIL FROM, RSET. No mail is sent.
 * @param sender The address alone.
 */
export async function trySmtp(server: SmtpServer, sender: string): Promise<SmtpOutcome> {
  const line = new SmtpLine()
  let isEncrypted = server.isSecure
  try {
    await line.open(server)
    await line.expect("greeting", null, 220)
    let offers = await line.expect("greeting", "EHLO latchkey-doctor.invalid", 250)
    if (!isEncrypted && /^250[ -]STARTTLS/im.test(offers)) {
      await line.expect("tls", "STARTTLS", 220)
      await line.encrypt(server)
      isEncrypted = true
      offers = await line.expect("greeting", "EHLO latchkey-doctor.invalid", 250)
    }
    if (server.user !== undefined) await login(line, server, offers)
    await line.expect("sender", `MAIL FROM:<${sender.replace(/[\r\n<>]/g, "")}>`, 250)
    await line.expect("sender", "RSET", 250)
    line.send("QUIT")
    return { failed: null, isEncrypted }
  } catch (error) {
    const code: unknown = Reflect.get(Object(error), "code")
    const status = error instanceof SmtpFailure ? error.status : undefined
    const failed = error instanceof SmtpFailure ? error.step : "connect"
    return { failed, isEncrypted, ...(status !== undefined && { status }), ...(typeof code === "string" && { code }) }
  } finally {
    line.close()
  }
}

async function login(line: SmtpLine, { user = "", password = "" }: SmtpServer, offers: string): Promise<void> {
  const methods = /^250[ -]AUTH[ =](.*)$/im.exec(offers)?.[1]?.toUpperCase() ?? ""
  const base64 = (text: string) => Buffer.from(text).toString("base64")
  if (methods.includes("PLAIN")) {
    await line.expect("login", `AUTH PLAIN ${base64(`\0${user}\0${password}`)}`, 235)
    return
  }
  if (!methods.includes("LOGIN")) throw new SmtpFailure("login")
  await line.expect("login", "AUTH LOGIN", 334)
  await line.expect("login", base64(user), 334)
  await line.expect("login", base64(password), 235)
}

/** A connection that sends a line and waits for the answer. */
class SmtpLine {
  #socket: Socket | undefined
  #received = ""
  #wake = () => {}
  #failure: Error | undefined

  async open(server: SmtpServer): Promise<void> {
    const { host, port, isSecure } = server
    const socket = isSecure ? connectTls({ host, port, ...toTls(server) }) : connect({ host, port })
    await this.#attach(socket, isSecure ? "secureConnect" : "connect")
  }

  async encrypt(server: SmtpServer): Promise<void> {
    const plain = this.#socket
    if (!plain) throw new SmtpFailure("tls")
    plain.removeAllListeners()
    try {
      await this.#attach(connectTls({ socket: plain, ...toTls(server) }), "secureConnect")
    } catch (error) {
      throw Object.assign(new SmtpFailure("tls"), { code: Reflect.get(Object(error), "code") })
    }
  }

  async #attach(socket: Socket, event: string): Promise<void> {
    this.#socket = socket
    this.#received = ""
    socket.setTimeout(deadlineMs, () => socket.destroy(Object.assign(new Error("late"), { code: "ETIMEDOUT" })))
    socket.on("data", (chunk: Buffer) => {
      this.#received += chunk.toString("latin1")
      if (this.#received.length > maxBytes) socket.destroy(new SmtpFailure("greeting"))
      this.#wake()
    })
    const end = (error: Error) => {
      this.#failure ??= error
      this.#wake()
    }
    socket.on("error", end).on("close", () => end(new SmtpFailure("greeting")))
    await new Promise<void>((resolve, reject) => {
      socket.once(event, resolve).once("error", reject)
    })
  }

  send(text: string): void {
    this.#socket?.write(`${text}\r\n`)
  }

  /**
   * @param text Null to wait for what the server says by itself.
   * @throws SmtpFailure unless the server answers with the status
   */
  async expect(step: SmtpStep, text: string | null, status: number): Promise<string> {
    if (text !== null) this.send(text)
    while (!/^\d{3}(?: .*)?\r?\n/m.test(this.#received)) {
      if (this.#failure) throw Object.assign(new SmtpFailure(step), { code: Reflect.get(this.#failure, "code") })
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    const answer = this.#received
    this.#received = ""
    const found = Number(/^(\d{3})(?: |\r?$)/m.exec(answer)?.[1])
    if (found !== status) throw new SmtpFailure(step, found)
    return answer
  }

  close(): void {
    this.#socket?.end()
    this.#socket?.destroySoon()
  }
}

function toTls({ host, verifies }: SmtpServer): { rejectUnauthorized: boolean; servername?: string } {
  return { rejectUnauthorized: verifies, ...(isIP(host) === 0 && { servername: host }) }
}
