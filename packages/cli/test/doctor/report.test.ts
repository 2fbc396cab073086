import { describe, expect, it } from "vitest"
import { createFinding, type Finding, findingCodes, findingKinds } from "../../src/doctor/finding.js"
import { createRedaction } from "../../src/doctor/redaction.js"
import { arrange, type Report, toExitCode, toJson, toText } from "../../src/doctor/report.js"
import { doctorSchema, findFaults } from "./json-schema.js"

const say = (sentence: string, more: Partial<Finding> = {}) => ({
  sentence,
  fixes: [
    { where: "proxy", text: "proxy_set_header X-Forwarded-Proto $scheme;", file: "nginx.conf", line: 7 },
  ] as const,
  ...more,
})

const reportOf = (findings: readonly Finding[], more: Partial<Report> = {}): Report => ({
  checkedAt: new Date("2026-11-28T08:15:06Z"),
  url: "https://app.example/auth",
  config: null,
  findings: arrange(findings),
  unchecked: [],
  isBlind: false,
  seconds: 1.24,
  ...more,
})

const context = { folder: ".", environment: {}, print: () => {}, printError: () => {} }
const scheme = createFinding("scheme", say("The app takes itself to be at http://app.example."))
const cookies = createFinding("insecure-cookies", say("Cookies lack Secure."))
const forms = createFinding("forms-refused", say("Forms are refused."))
const clock = createFinding("clock", say("The clock is 40 s off.", { severity: "warning" }))

describe("the report of latchkey doctor", () => {
  it("shows the cause, and what follows from it below", () => {
    const report = reportOf([forms, clock, cookies, scheme], {
      unchecked: [{ code: "response-headers", reason: "needs doctor: answerDoctor() in the configuration." }],
    })
    expect(report.findings.map(({ code }) => code)).toEqual(["scheme", "insecure-cookies", "forms-refused", "clock"])
    expect(report.findings[1]?.causes).toEqual(["scheme"])
    expect(toText(report, context)).toMatchInlineSnapshot(`
      "  Checked https://app.example/auth: 1 error, 1 warning, 2 consequences, 1.2 s

        ✖ scheme            The app takes itself to be at http://app.example.
          proxy             proxy_set_header X-Forwarded-Proto $scheme;
                            in nginx.conf:7
          guide             "Proxies", section "nginx"
            follows from it: insecure-cookies, forms-refused

        ! clock             The clock is 40 s off.
          proxy             proxy_set_header X-Forwarded-Proto $scheme;
                            in nginx.conf:7
          guide             "Going to production"

        ? response-headers  Not checked: needs doctor: answerDoctor() in the
                            configuration.
      "
    `)
  })

  it("shows cookies without Secure below an address that the app takes for another", () => {
    const address = createFinding("address", say("The app takes itself to be at http://127.0.0.1:3000."))
    const { findings } = reportOf([{ ...cookies, severity: "warning" }, address])
    expect(findings.map(({ code, causes }) => [code, causes])).toEqual([
      ["address", []],
      ["insecure-cookies", ["address"]],
    ])
  })

  it("shows a missing address above the error that the site answers with", () => {
    const refused = createFinding("server-error", say("The app refuses every request."))
    const untrusted = createFinding("host-untrusted", say("No address is configured.", { severity: "warning" }))
    const report = reportOf([refused, untrusted])
    expect(report.findings.map(({ code }) => code)).toEqual(["host-untrusted", "server-error"])
    expect(toExitCode(report, false)).toBe(1)
  })

  it("shows a client id that the provider does not know above the refused client", () => {
    const client = createFinding("client-id", say("The provider does not know the client id."))
    const { findings } = reportOf([createFinding("client-secret", say("The client was refused.")), client])
    expect(findings.map(({ code }) => code)).toEqual(["client-id", "client-secret"])
    expect(findings[1]?.causes).toEqual(["client-id"])
  })

  it("withholds the password of a URL, and not the place where to write one", () => {
    const redact = createRedaction({})
    expect(redact("smtp://app:pass-word@mail.example")).toBe("smtp://app:[withheld]@mail.example")
    expect(redact("smtp://<user>:<password>@<host>:587")).toBe("smtp://<user>:<password>@<host>:587")
  })

  it("DOC-07: withholds a secret of the environment and of a configuration, also as a form or a URL has it", () => {
    const redact = createRedaction({ AUTH_SECRET: "a secret/with+signs" }, { clientSecret: "of the & client" })
    const sentence = "sent a secret/with+signs and of%20the%20%26%20client and a%20secret%2Fwith%2Bsigns"
    expect(redact({ sentence }).sentence).toBe("sent [withheld] and [withheld] and [withheld]")
  })

  it("shows a finding whose cause was not found", () => {
    expect(reportOf([forms]).findings).toEqual([{ ...forms, causes: [] }])
  })

  it("shows a finding once", () => {
    expect(reportOf([scheme, { ...scheme }]).findings).toHaveLength(1)
  })

  it("shows findings that name each other", () => {
    const circle = [
      { ...forms, causes: ["clock"] as const },
      { ...clock, causes: ["forms-refused"] as const },
    ]
    expect(toText(reportOf(circle), context)).toContain("1 error, 1 warning")
  })

  it.each([
    [[], {}, false, 0],
    [[clock], {}, false, 0],
    [[clock], {}, true, 1],
    [[scheme], {}, false, 1],
    [[], { isBlind: true }, false, 2],
    [[scheme], { isBlind: true }, false, 1],
  ] as const)("has an exit code for %j", (findings, more, isStrict, code) => {
    expect(toExitCode(reportOf(findings, more), isStrict)).toBe(code)
  })

  it("DOC-05: shows nothing that a terminal would obey", () => {
    const obeyed = "\u001b[2J\u009b31m\u0007\u202e\n\r"
    const finding = createFinding("clock", {
      sentence: obeyed,
      fixes: [{ where: "code", text: obeyed, file: obeyed }],
      evidence: { header: obeyed },
    })
    const text = toText(reportOf([finding], { unchecked: [{ code: "tables", reason: obeyed }], url: obeyed }), context)
    expect(text.replaceAll("\n", "")).not.toMatch(/\p{C}/u)
    expect(toJson(reportOf([finding])).trimEnd()).not.toMatch(/\p{C}/u)
  })

  it("colors on a terminal, without NO_COLOR, and with FORCE_COLOR", () => {
    const terminals = { output: true, errors: true }
    const text = (more: object) => toText(reportOf([scheme]), { ...context, ...more })
    expect(text({ terminals })).toContain("\u001b[31m")
    for (const environment of [{ NO_COLOR: "1" }, { FORCE_COLOR: "0" }, { TERM: "dumb" }])
      expect(text({ terminals, environment })).not.toContain("\u001b")
    expect(text({ environment: { FORCE_COLOR: "1" } })).toContain("\u001b[31m")
  })
})

describe("the published schema of latchkey doctor --json", () => {
  it("lists the codes of all findings", () => {
    expect(doctorSchema.$defs["code"]?.enum).toEqual(findingCodes)
    expect(new Set(doctorSchema.$defs["source"]?.enum)).toEqual(
      new Set(["inside", ...Object.values(findingKinds).flatMap(({ sources }) => sources)]),
    )
  })

  it.each(findingCodes)("describes the finding %s", (code) => {
    const causes = findingKinds[code].causes ?? []
    const findings = [code, ...causes].map((each) =>
      createFinding(each, say("A sentence.", { evidence: { a: 1, b: "c" } })),
    )
    const report = JSON.parse(toJson(reportOf(findings, { unchecked: [{ code, reason: "It needs a URL." }] })))
    expect(findFaults(report)).toEqual([])
  })

  it("refuses what is no report", () => {
    const report = JSON.parse(toJson(reportOf([scheme])))
    expect(findFaults({ ...report, version: 2, secret: "x" })).toEqual(["report.version", "report.secret"])
    expect(findFaults({ ...report, findings: [{ ...scheme, code: "other" }] })).toEqual(["report.findings[0].code"])
  })
})
