import { logRejectedRequest } from "@latchkey/core"
import { type FailureReason, failureReasons, findReasonOfType, tellStory } from "@latchkey/core/diagnosis"
import { AuthError } from "@latchkey/core/errors"
import type { LogRecord } from "@latchkey/core/types"
import { type Canary, findLeaks, memoryAdapter, type TestHost, testHost } from "@latchkey/testkit"
import { describe, expect, it, vi } from "vitest"
import { runHere } from "./command.js"
import { appFailures } from "./failing-apps.js"
import { type Cause, flowFailures, type Open, right } from "./failing-flows.js"

/** The compiler refuses a reason without a failure. */
const failures: Readonly<Record<FailureReason, Cause>> = { ...flowFailures, ...appFailures }

/** What the default logger writes for these errors. */
function consoleOf(errors: readonly Error[]): string {
  const lines: string[] = []
  const written = vi.spyOn(console, "error").mockImplementation((line) => void lines.push(String(line)))
  for (const error of errors) if (error instanceof AuthError) logRejectedRequest(error, { headers: new Headers() })
  written.mockRestore()
  return `${lines.join("\n")}\n`
}

async function* inputOf(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text)
}

const explain = async (args: readonly string[], log: string): Promise<string> =>
  (await runHere(["explain", ...args], { folder: "/", input: inputOf(log) })).output

const isFailure = (record: LogRecord) => record.outcome === "failure"

const strategies = ["jwt", "database"] as const

/** Opens apps whose sessions are of a strategy. */
const openWith =
  (strategy: (typeof strategies)[number]): Open =>
  ({ session, ...options } = {}) => {
    const adapter = strategy === "jwt" ? options.adapter : (options.adapter ?? createStore())
    return testHost({ ...options, session: { strategy, ...session }, ...(adapter && { adapter }) })
  }

/** A store that has the user of the password. */
function createStore() {
  const adapter = memoryAdapter()
  adapter.createUser({ id: "u-v", name: "V", email: "v@corp.test", emailVerified: null })
  return adapter
}

const cases = strategies.flatMap((strategy) =>
  failureReasons
    .filter((reason) => strategy === "jwt" || !failures[reason].isOfTokens)
    .map((reason) => [reason, strategy] as const),
)

/** What none of the texts for operators may have. */
function canariesOf({ canaries, idp, mailbox, answers }: TestHost): readonly Canary[] {
  const asked = idp.requests.authorization.flatMap(({ params }) => [params.get("state"), params.get("nonce")])
  const cookies = answers.flatMap((answer) => answer.cookies.map((line) => /=([^;]*)/.exec(line)?.[1] ?? ""))
  const mails = mailbox.messages.flatMap(({ to, token, code = "" }) => [to, token, code])
  const people = ["v@corp.test", "grace@corp.test", "ada@example.com", "a@b@c", right.p]
  const values = [...asked, ...cookies.filter((text) => !isPlain(text)), ...mails, ...people]
  const found = values.flatMap((value) => (value && value.length >= 5 ? { name: value.slice(0, 4), value } : []))
  return [...canaries.all, ...idp.issued, ...found]
}

/** A callback URL, or the reference of an error. */
const isPlain = (text: string) => /^(?:https?%3A|%2F|[0-9A-Z]{4}-[0-9A-Z]{2}(?:%3A|:))/.test(text)

describe("the reason of a failure", () => {
  it("has a failure for each reason", () => {
    expect(Object.keys(failures).sort()).toEqual([...failureReasons].sort())
  })

  it.each(cases)("DOC-01: %s is told by its reference alone, without a secret (%s)", async (reason, strategy) => {
    const { cause, facts = {} } = failures[reason]
    const host = await cause(openWith(strategy))
    const { logger } = host
    const error = logger.errors.at(-1)
    if (!(error instanceof AuthError)) return expect.unreachable("no failure was logged")
    const { type, reference } = error
    const record = logger.records.filter(isFailure).at(-1)
    if (record) {
      // A reason that says no more than the type is found by the type.
      const recorded = findReasonOfType(type) === reason ? [reason, undefined] : [reason]
      expect(recorded).toContain(Reflect.get(record, "reason"))
      const shown = Object.keys(facts).length > 0 ? { facts } : {}
      expect(record).toMatchObject({ reference, error: type, ...shown })
    }
    const records = logger.records.map((each) => JSON.stringify(each)).join("\n")
    const texts = [records]
    for (const log of [consoleOf(logger.errors), ...(record ? [records] : [])]) {
      const json = await explain([reference, "--json"], log)
      texts.push(json, await explain([reference], log), await explain([], log))
      const told = JSON.parse(json)
      expect(told).toMatchObject({ reference, error: type, reason, facts })
      const story = tellStory(reason, told.facts)
      expect(told.fixes).toEqual(story.fixes)
      expect(told.sentences.slice(0, story.sentences.length)).toEqual(story.sentences)
    }
    expect(findLeaks(texts, canariesOf(host))).toEqual([])
  })
})
