import { Resolver } from "node:dns/promises"
import type { ExaminedConfig } from "@latchkey/core/diagnosis"
import { createFinding, type Examination, type Finding, type FindingCode, type Unchecked } from "./finding.js"
import { fixOption, fixVariable, type LiveConfiguration } from "./live-configuration.js"
import { readServer, type SmtpOutcome, type SmtpServer, type SmtpStep, trySmtp } from "./smtp.js"

type Provider = ExaminedConfig["providers"][number]
type EmailProvider = Extract<Provider, { readonly type: "email" }>

/** Checks whether the app can send email, and whether its domain authenticates it (SPF, DKIM, DMARC). Sends nothing without `--send-mail`. */
export async function checkMail(live: LiveConfiguration): Promise<Examination> {
  const resolver = createResolver(live)
  const { providers: own = [], mailers = [] } = live.config ?? {}
  const providers = [...own, ...mailers].flatMap((each) => (each.type === "email" ? [each] : []))
  const all = await Promise.all(providers.map((provider) => checkProvider(provider, live, resolver)))
  return {
    findings: all.flatMap(({ findings }) => findings),
    unchecked: all.flatMap(({ unchecked }) => unchecked),
  }
}

function createResolver({ dnsServer }: LiveConfiguration): Resolver {
  const resolver = new Resolver({ timeout: 3000, tries: 2 })
  if (dnsServer !== null) resolver.setServers([dnsServer])
  return resolver
}

async function checkProvider(
  provider: EmailProvider,
  live: LiveConfiguration,
  resolver: Resolver,
): Promise<Examination> {
  const sender = findSender(provider, live)
  const server = readServer(provider.server)
  const outcome = server && sender !== null ? await trySmtp(server, sender) : null
  const refused = server && outcome ? toRefusal({ provider, server, outcome }, live) : []
  const domain = sender?.split("@").at(-1)?.toLowerCase()
  const records =
    domain === undefined || isReserved(domain) ? [] : await checkRecords({ provider, domain }, live, resolver)
  const sent = refused.length === 0 && live.sendMail !== null ? await sendMail(provider, live.sendMail, live) : []
  const found = [...refused, ...records, ...sent]
  return {
    findings: found.filter((each): each is Finding => "sentence" in each),
    unchecked: found.filter((each): each is Unchecked => !("sentence" in each)),
  }
}

/** The address that mails come from, without its name. Null if none is known. */
function findSender({ from }: EmailProvider, { base }: LiveConfiguration): string | null {
  const given = from ?? (base ? `no-reply@${base.hostname}` : "")
  const address = given.trim().split(/[\s<]/).at(-1)?.replace(/>$/, "") ?? ""
  return /^[^@>]+@[^@>]+$/.test(address) ? address : null
}

interface Tried {
  readonly provider: EmailProvider
  readonly server: SmtpServer
  readonly outcome: SmtpOutcome
}

const kinds: Readonly<Record<SmtpStep, FindingCode>> = {
  connect: "mail-unreachable",
  greeting: "mail-unreachable",
  tls: "mail-unreachable",
  login: "mail-login",
  sender: "mail-sender",
}

const sentences: Readonly<Record<SmtpStep, string>> = {
  connect: "cannot be reached",
  greeting: "does not greet, or refuses this machine",
  tls: "does not encrypt with a certificate that is valid for it",
  login: "refuses the user name or password",
  sender: "refuses the sender's address (from)",
}

function toRefusal({ provider, server, outcome }: Tried, live: LiveConfiguration): readonly Finding[] {
  const { failed, status, code } = outcome
  if (failed === null) return []
  const at = `${server.host}:${server.port}`
  const reason = [status, code].filter((each) => each !== undefined && !Number.isNaN(each)).join(" ")
  const sentence = `The mail server at ${at} ${sentences[failed]}${reason === "" ? "" : ` (${reason})`}.`
  const variable = live.environment.variables["EMAIL_SERVER"] === undefined ? null : "EMAIL_SERVER"
  const fixes =
    failed === "sender"
      ? [fixOption(live, `providers.${provider.id}.from`, "from: <an address that the server may send from>", "mail")]
      : variable === null
        ? [fixOption(live, `providers.${provider.id}.server`, "server: smtp://<user>:<password>@<host>:587", "mail")]
        : [fixVariable(live, variable, `${variable}=smtp://<user>:<password>@<host>:587`)]
  const evidence = { provider: provider.id, host: server.host, port: server.port, ...(status && { status }) }
  return [createFinding(kinds[failed], { sentence, fixes, evidence })]
}

/** IP addresses, and names that are not in public DNS (RFC 2606, RFC 6761, RFC 6762). */
function isReserved(domain: string): boolean {
  return (
    !domain.includes(".") ||
    /(?:^|\.)(?:localhost|local|internal|test|example|invalid)$|(?:^|\.)example\.(?:com|net|org)$|^[\d.]+$|[[\]]/.test(
      domain,
    )
  )
}

interface Sender {
  readonly provider: EmailProvider
  readonly domain: string
}

/** SPF (RFC 7208), DMARC (RFC 7489) and, if the app signs itself, DKIM (RFC 6376) of the sender. */
async function checkRecords(
  { provider, domain }: Sender,
  live: LiveConfiguration,
  resolver: Resolver,
): Promise<readonly (Finding | Unchecked)[]> {
  const warn = (sentence: string, text: string): Finding =>
    createFinding("mail-sender", {
      severity: "warning",
      sentence,
      fixes: [
        { where: "mail", text },
        fixOption(live, `providers.${provider.id}.from`, "from: <an address of a domain of yours>"),
      ],
      evidence: { provider: provider.id, domain },
    })
  const find = async (name: string, tag: string) =>
    (await readTxt(resolver, name)).find((record) => record.toLowerCase().startsWith(tag))
  const { keySelector, domainName = domain }: Readonly<Record<string, unknown>> = Object(
    Reflect.get(Object(provider.server), "dkim"),
  )
  try {
    // A mail service sends from a domain of its own, and its SPF counts then.
    const spf = provider.server === undefined || (await find(domain, "v=spf1"))
    let dmarc: string | undefined
    for (const name of listAbove(domain)) dmarc ??= await find(`_dmarc.${name}`, "v=dmarc1")
    const key = `${keySelector}._domainkey.${domainName}`
    const dkim = keySelector === undefined || (await readTxt(resolver, key)).some((record) => /\bp=[^\s;]/.test(record))
    return [
      ...(spf
        ? []
        : [
            warn(
              `${domain} has no SPF record, so its mails may count as spam.`,
              `${domain}. TXT "v=spf1 include:<your mail service> -all"`,
            ),
          ]),
      ...(dmarc
        ? []
        : [
            warn(
              `${domain} has no DMARC record, so anyone can send mails in its name, and large providers refuse yours.`,
              `_dmarc.${domain}. TXT "v=DMARC1; p=quarantine"`,
            ),
          ]),
      ...(dkim
        ? []
        : [
            warn(
              `The DNS has no DKIM key at ${key}, so signatures of mails are not valid.`,
              `${key}. TXT "v=DKIM1; p=<the public key>"`,
            ),
          ]),
    ]
  } catch (error) {
    const { code }: { readonly code?: unknown } = Object(error)
    return [{ code: "mail-sender", reason: `The DNS did not answer for ${domain} (${String(code)}).` }]
  }
}

/** A domain and those above it, without the last name. Only a list of suffixes tells which is the organization's. */
function listAbove(domain: string): readonly string[] {
  const names = domain.split(".")
  return names.slice(0, -1).map((_, at) => names.slice(at).join("."))
}

/** Empty if the name has no such records. @throws Error if the DNS does not answer */
async function readTxt(resolver: Resolver, name: string): Promise<readonly string[]> {
  try {
    return (await resolver.resolveTxt(name)).map((parts) => parts.join(""))
  } catch (error) {
    const code: unknown = Reflect.get(Object(error), "code")
    if (code === "ENOTFOUND" || code === "ENODATA") return []
    throw error
  }
}

/** Sends one mail by the app's own sender. */
async function sendMail(provider: EmailProvider, to: string, live: LiveConfiguration): Promise<readonly Finding[]> {
  const url = live.base?.href ?? "https://localhost/"
  const text = `This mail was sent by "latchkey doctor --send-mail". The app can send mails.\n`
  try {
    await provider.sendVerificationRequest({
      identifier: to,
      url,
      token: "",
      expires: new Date(Date.now() + 60_000),
      provider,
      theme: {},
      request: new Request(url),
      message: { subject: "A mail of latchkey doctor", text, html: `<p>${text.replaceAll('"', "&quot;")}</p>` },
    })
    return []
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const fixes = [fixOption(live, `providers.${provider.id}`, "Change what the sentence names.", "mail")]
    return [createFinding("mail-login", { sentence: `The mail could not be sent: ${message}.`, fixes })]
  }
}
