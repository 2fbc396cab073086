import { logRejectedRequest } from "@latchkey/core"
import { type FailureReason, failureReasons, findReasonOfType, tellStory } from "@latchkey/core/diagnosis"
import { AuthError } from "@latchkey/core/errors"
import type { LogRecord } from "@latchkey/core/types"
import { describe, expect, it, vi } from "vitest"
import { runHere } from "./command.js"
import { appFailures } from "./failing-apps.js"
import { type Cause, flowFailures } from "./failing-flows.js"

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

async function explain(reference: string, log: string) {
  const { output } = await runHere(["explain", reference, "--json"], { folder: "/", input: inputOf(log) })
  return JSON.parse(output)
}

const isFailure = (record: LogRecord) => record.outcome === "failure"

describe("the reason of a failure", () => {
  it("has a failure for each reason", () => {
    expect(Object.keys(failures).sort()).toEqual([...failureReasons].sort())
  })

  it.each(failureReasons)("%s is told from a failure, by its reference alone", async (reason) => {
    const { cause, facts = {} } = failures[reason]
    const { logger } = await cause()
    const error = logger.errors.at(-1)
    if (!(error instanceof AuthError)) return expect.unreachable("no failure was logged")
    const { type, reference } = error
    const record = logger.records.filter(isFailure).at(-1)
    // A reason that says no more than the type is found by the type.
    const recorded = findReasonOfType(type) === reason ? [reason, undefined] : [reason]
    if (record) expect(recorded).toContain(Reflect.get(record, "reason"))
    if (record)
      expect(record).toMatchObject({ reference, error: type, ...(Object.keys(facts).length > 0 && { facts }) })
    const records = logger.records.map((each) => JSON.stringify(each)).join("\n")
    const logs = [consoleOf(logger.errors), ...(record ? [records] : [])]
    for (const log of logs) {
      const told = await explain(reference, log)
      expect(told).toMatchObject({ reference, error: type, reason, facts })
      const story = tellStory(reason, told.facts)
      expect(told.fixes).toEqual(story.fixes)
      expect(told.sentences.slice(0, story.sentences.length)).toEqual(story.sentences)
    }
  })
})
