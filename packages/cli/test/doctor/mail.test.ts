import { createHmac } from "node:crypto"
import { accountArea } from "@latchkey/core/account-area"
import { examine } from "@latchkey/core/diagnosis"
import { Nodemailer } from "@latchkey/core/providers/nodemailer"
import { Passwords } from "@latchkey/core/providers/passwords"
import type { EmailConfig } from "@latchkey/core/types"
import { describe, expect, it } from "vitest"
import { createCertificate } from "../../../../test/examples/tls-proxy.js"
import { checkMail } from "../../src/doctor/mail.js"
import { liveOf } from "./live.js"
import { type Answers, startDns, startSmtp } from "./mail-server.js"

const clean = {
  "harbour.dev": ["v=spf1 -all"],
  "_dmarc.harbour.dev": ["v=DMARC1; p=reject"],
}

interface Mailing {
  readonly server: string | object
  readonly from?: string
  readonly sendMail?: string
  readonly dns?: Readonly<Record<string, readonly string[]>>
}

async function check({ server, from = "Harbour <no-reply@harbour.dev>", sendMail, dns = clean }: Mailing) {
  const provider = { ...Nodemailer({ server }), from }
  const dnsServer = await startDns(dns)
  const live = liveOf({ providers: [provider], dnsServer, ...(sendMail !== undefined && { sendMail }) })
  const { findings, unchecked } = await checkMail(live)
  return { findings, unchecked, found: findings.map(({ code, severity }) => `${code} ${severity}`) }
}

describe("checkMail of latchkey doctor", () => {
  it("DOC-04: finds nothing wrong with a server that accepts login and sender, and sends no mail", async () => {
    const { url, commands } = await startSmtp()
    expect(await check({ server: url })).toEqual({ findings: [], unchecked: [], found: [] })
    const names = commands.map((command) => command.split(/[ :]/)[0])
    expect(names).toEqual(["EHLO", "AUTH", "MAIL", "RSET", "QUIT"])
    expect(commands[1]).toBe(`AUTH PLAIN ${Buffer.from("\0user\0pass-word").toString("base64")}`)
    expect(commands[2]).toBe("MAIL FROM:<no-reply@harbour.dev>")
  })

  it.each<[string, Answers, string, string]>([
    [
      "refuses the login",
      { AUTH: "535 5.7.8 wrong pass-word" },
      "mail-login error",
      "refuses the user name or password (535)",
    ],
    [
      "refuses the sender",
      { "MAIL FROM": "550 5.7.1 not yours" },
      "mail-sender error",
      "refuses the sender's address (from) (550)",
    ],
    [
      "does not greet",
      { "": "554 no service" },
      "mail-unreachable error",
      "does not greet, or refuses this machine (554)",
    ],
    [
      "has no valid certificate",
      { EHLO: "250-a\r\n250 STARTTLS", STARTTLS: "454 no TLS" },
      "mail-unreachable error",
      "does not encrypt",
    ],
  ])("names a server that %s, without what it says", async (_, answers, found, sentence) => {
    const { url, port } = await startSmtp(answers)
    const { findings, found: codes } = await check({ server: url })
    expect(codes).toEqual([found])
    expect(findings[0]?.sentence).toContain(`127.0.0.1:${port} ${sentence}`)
    expect(JSON.stringify(findings)).not.toContain("pass-word")
  })

  it.each([
    ["Passwords", (mail: EmailConfig) => ({ providers: [Passwords({ mail })] })],
    ["Passwords, passed as a factory", (mail: EmailConfig) => ({ providers: [Passwords({ mail: () => mail })] })],
    ["accountArea", (mail: EmailConfig) => ({ providers: [], accountArea: accountArea({ mail }) })],
    ["both, once", (mail: EmailConfig) => ({ providers: [Passwords({ mail })], accountArea: accountArea({ mail }) })],
  ])("checks the email provider in the option mail of %s", async (_, configOf) => {
    const { url } = await startSmtp({ AUTH: "535 5.7.8 no" })
    const mail = Nodemailer({ server: url, from: "no-reply@harbour.dev" })
    const { config } = await examine({ secret: "x".repeat(40), ...configOf(mail) }, {})
    const { findings } = await checkMail(liveOf({ mailers: config?.mailers ?? [], dnsServer: await startDns(clean) }))
    expect(findings.map(({ code }) => code)).toEqual(["mail-login"])
  })

  it("names a server that is away", async () => {
    const { url, close } = await startSmtp()
    await close()
    const { findings } = await check({ server: url })
    expect(findings[0]).toMatchObject({ code: "mail-unreachable", sentence: expect.stringContaining("ECONNREFUSED") })
  })

  it("signs in by AUTH LOGIN where there is nothing else, and with options in place of a URL", async () => {
    const { port, commands } = await startSmtp({
      EHLO: "250-mail.test\r\n250 AUTH LOGIN",
      "AUTH LOGIN": "334 VXNlcm5hbWU6",
      dXNlcg: "334 UGFzc3dvcmQ6",
      c2VzYW1l: "235 welcome",
    })
    const server = { host: "127.0.0.1", port, auth: { user: "user", pass: "sesame" } }
    expect((await check({ server })).found).toEqual([])
    expect(commands).toContain(Buffer.from("sesame").toString("base64"))
  })

  const auth = { user: "user", pass: "sesame" }
  const hasBadTls = { EHLO: "250-mail.test\r\n250-STARTTLS\r\n250 AUTH PLAIN", STARTTLS: "454 no TLS" }

  it("signs in by CRAM-MD5 where there is nothing else", async () => {
    const challenge = Buffer.from("<1.2@mail.test>").toString("base64")
    const { port, commands } = await startSmtp({
      EHLO: "250-mail.test\r\n250 AUTH GSSAPI CRAM-MD5",
      "AUTH CRAM-MD5": `334 ${challenge}`,
      dXNlc: "235 welcome",
    })
    expect((await check({ server: { host: "127.0.0.1", port, auth } })).found).toEqual([])
    const digest = createHmac("md5", "sesame").update("<1.2@mail.test>").digest("hex")
    expect(commands).toContain(Buffer.from(`user ${digest}`).toString("base64"))
  })

  it.each<[string, Answers, object, readonly string[]]>([
    ["asks for no login", { EHLO: "250 mail.test" }, { auth }, ["EHLO", "MAIL", "RSET", "QUIT"]],
    ["expects OAuth 2.0", {}, { auth: { type: "OAuth2", user: "user", clientId: "one" } }, []],
    ["must not encrypt", hasBadTls, { auth, ignoreTLS: true }, ["EHLO", "AUTH", "MAIL", "RSET", "QUIT"]],
  ])("finds nothing wrong with a server that %s", async (_, answers, options, names) => {
    const { port, commands } = await startSmtp(answers)
    expect(await check({ server: { host: "127.0.0.1", port, ...options } })).toMatchObject({ found: [] })
    expect(commands.map((command) => command.split(/[ :]/)[0])).toEqual(names)
  })

  it("takes a percent sign in a URL for one, as Nodemailer does", async () => {
    const { url, commands } = await startSmtp()
    expect((await check({ server: url.replace("pass%2Dword", "100%") })).found).toEqual([])
    expect(commands[1]).toBe(`AUTH PLAIN ${Buffer.from("\0user\x00100%").toString("base64")}`)
  })

  it("names a server that does not encrypt, although the app requires it", async () => {
    const { url, commands } = await startSmtp({ STARTTLS: "502 unknown" })
    expect((await check({ server: `${url}?requireTLS=true` })).found).toEqual(["mail-unreachable error"])
    expect(commands).toEqual([expect.stringMatching(/^EHLO/), "STARTTLS"])
  })

  it("accepts the certificate authority of the app", async () => {
    const certificate = await createCertificate()
    const { port, url } = await startSmtp({}, certificate)
    const server = { host: "127.0.0.1", port, secure: true, auth }
    expect((await check({ server })).found).toEqual(["mail-unreachable error"])
    expect((await check({ server: { ...server, tls: { ca: certificate.cert } } })).found).toEqual([])
    const accepting = `${url.replace("smtp:", "smtps:")}?tls.rejectUnauthorized=false`
    expect((await check({ server: accepting })).found).toEqual([])
  })

  it.each([
    ["SPF", { "_dmarc.harbour.dev": ["v=DMARC1; p=none"] }, "harbour.dev has no SPF record"],
    ["DMARC", { "harbour.dev": ["google-site-verification=x", "v=spf1 -all"] }, "harbour.dev has no DMARC record"],
  ])("warns about a sender without %s", async (_, dns, sentence) => {
    const { url } = await startSmtp()
    const { findings, found } = await check({ server: url, dns })
    expect([found, findings[0]?.sentence]).toEqual([["mail-sender warning"], expect.stringContaining(sentence)])
  })

  it("accepts the DMARC record of the domain above, and looks for the key of DKIM if the app signs", async () => {
    const { port } = await startSmtp()
    const server = { host: "127.0.0.1", port, dkim: { domainName: "harbour.dev", keySelector: "one", privateKey: "x" } }
    const dns = { ...clean, "mail.harbour.dev": ["v=spf1 -all"] }
    const { findings } = await check({ server, dns, from: "a@mail.harbour.dev" })
    expect(findings.map(({ sentence }) => sentence)).toEqual([
      "The DNS has no DKIM key at one._domainkey.harbour.dev, so signatures of mails are not valid.",
    ])
    const signed = { ...dns, "one._domainkey.harbour.dev": ["v=DKIM1; p=MIIB"] }
    expect((await check({ server, dns: signed, from: "a@mail.harbour.dev" })).found).toEqual([])
  })

  it("accepts the DMARC record of a domain below a suffix of two names", async () => {
    const { url } = await startSmtp()
    const dns = { "a.mail.harbour.co.uk": ["v=spf1 -all"], "_dmarc.harbour.co.uk": ["v=DMARC1; p=reject"] }
    expect((await check({ server: url, dns, from: "no-reply@a.mail.harbour.co.uk" })).found).toEqual([])
  })

  it("asks no DNS about names that are reserved", async () => {
    const { url } = await startSmtp()
    expect((await check({ server: url, from: "no-reply@app.example", dns: {} })).found).toEqual([])
  })

  it("DOC-04: sends one mail with --send-mail", async () => {
    const { url, commands } = await startSmtp()
    expect((await check({ server: url, sendMail: "ada@harbour.dev" })).found).toEqual([])
    expect(commands.filter((command) => command.startsWith("RCPT TO"))).toEqual(["RCPT TO:<ada@harbour.dev>"])
  })
})
