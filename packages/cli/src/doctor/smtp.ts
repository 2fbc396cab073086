import { createHmac } from "node:crypto"
import { connect, isIP, type Socket } from "node:net"
import { type ConnectionOptions, connect as connectTls } from "node:tls"
import { decode } from "./redaction.js"

/** A mail server, and how the app signs in to it. */
export interface SmtpServer {
  readonly host: string
  readonly port: number
  /** TLS from the first byte. */
  readonly isSecure: boolean
  /** Without TLS from the first byte: whether the app encrypts where the server offers it, always, or never. */
  readonly startTls: "offered" | "required" | "never"
  /** The app's own options of TLS, such as its certificate authority. */
  readonly tls: ConnectionOptions
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

/**
 * Reads the `server` of the Nodemailer provider: a URL, options, or a transporter. Null for a transport of another kind, and for
 * a login by OAuth 2.0 or a method of the app.
 */
export function readServer(server: unknown): SmtpServer | null {
  if (typeof server === "string") return readUrl(server)
  const given: Record<string, unknown> = Object(Reflect.get(Object(server), "options") ?? server)
  const { host, port, secure, auth, tls, url, service, sendmail, streamTransport, jsonTransport, SES } = given
  if (typeof url === "string") return readUrl(url)
  const { user, pass, type = "login" }: Record<string, unknown> = Object(auth)
  if (service || sendmail || streamTransport || jsonTransport || SES || typeof host !== "string") return null
  if (!/^login$/i.test(String(type))) return null
  const isSecure = secure === true || (secure === undefined && Number(port) === 465)
  return {
    host,
    port: Number(port) || (isSecure ? 465 : 587),
    isSecure,
    startTls: given["requireTLS"] ? "required" : given["ignoreTLS"] ? "never" : "offered",
    tls: Object(tls),
    user: typeof user === "string" ? user : undefined,
    password: typeof pass === "string" ? pass : undefined,
  }
}

/** Options in the query have the names and, for `tls`, the dots of Nodemailer's. */
function readUrl(text: string): SmtpServer | null {
  const url = URL.parse(text)
  if (!url || !/^smtps?:$/.test(url.protocol)) return null
  const options = [...url.searchParams].map(([name, value]) => [name, value === "true" || (value !== "false" && value)])
  const tls = options.flatMap(([name, value]) =>
    String(name).startsWith("tls.") ? [[String(name).slice(4), value]] : [],
  )
  const [user, pass] = [decode(url.username), decode(url.password)]
  return readServer({
    ...Object.fromEntries(options),
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port,
    secure: url.protocol === "smtps:",
    tls: Object.fromEntries(tls),
    auth: user + pass === "" ? undefined : { user, pass },
    url: undefined,
  })
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
    const { startTls } = server
    const isWanted = startTls === "required" || (startTls === "offered" && /^250[ -]STARTTLS/im.test(offers))
    if (!isEncrypted && isWanted) {
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

/** As Nodemailer does: not at all if the server asks for no login, and by AUTH PLAIN if it knows none of these. */
async function login(line: SmtpLine, { user = "", password = "" }: SmtpServer, offers: string): Promise<void> {
  const methods = [...offers.matchAll(/^250[ -]AUTH[ =](.*)$/gim)].flatMap(([, list = ""]) =>
    list.toUpperCase().split(/[ =\r]+/),
  )
  const base64 = (text: string) => Buffer.from(text).toString("base64")
  if (methods.length === 0) return
  const method = ["PLAIN", "LOGIN", "CRAM-MD5"].find((each) => methods.includes(each))
  if (method === "LOGIN") {
    await line.expect("login", "AUTH LOGIN", 334)
    await line.expect("login", base64(user), 334)
    await line.expect("login", base64(password), 235)
  } else if (method === "CRAM-MD5") {
    // RFC 2195.
    const answer = await line.expect("login", "AUTH CRAM-MD5", 334)
    const challenge = Buffer.from(answer.slice(4), "base64")
    await line.expect("login", base64(`${user} ${createHmac("md5", password).update(challenge).digest("hex")}`), 235)
  } else await line.expect("login", `AUTH PLAIN ${base64(`\0${user}\0${password}`)}`, 235)
}

/** A connection that sends a line and waits for the answer. */
class SmtpLine {
  #socket: Socket | undefined
  #received = ""
  #wake = () => {}
  #failure: Error | undefined

  async open(server: SmtpServer): Promise<void> {
    const { host, port, isSecure } = server
    const socket = isSecure ? connectTls({ ...toTls(server), host, port }) : connect({ host, port })
    await this.#attach(socket, isSecure ? "secureConnect" : "connect")
  }

  async encrypt(server: SmtpServer): Promise<void> {
    const plain = this.#socket
    if (!plain) throw new SmtpFailure("tls")
    plain.removeAllListeners()
    try {
      await this.#attach(connectTls({ ...toTls(server), socket: plain }), "secureConnect")
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

function toTls({ host, tls }: SmtpServer): ConnectionOptions {
  return { ...(isIP(host) === 0 && { servername: host }), ...tls }
}
