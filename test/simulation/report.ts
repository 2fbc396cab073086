import type { SimulationResult } from "./run.js"

/** The report of a run that failed: the story, and a test to paste. */
export function reportOf({ seed, setting, schedule, violation, story }: SimulationResult): string {
  if (!violation) return `Seed ${seed} kept every promise.`
  const facts = Object.entries(setting).filter(([, value]) => value !== false)
  return [
    `Seed ${seed} broke the promise "${violation.rule}": ${violation.sentence}`,
    "",
    `Setting: ${facts.map(([name, value]) => (value === true ? name : `${name} ${value}`)).join(", ")}`,
    "",
    ...story,
    "",
    "As a test:",
    "",
    `it(${JSON.stringify(`keeps the promise "${violation.rule}" of seed ${seed}`)}, async () => {`,
    "  const result = await simulate({",
    `    seed: ${seed},`,
    `    setting: ${JSON.stringify(setting)},`,
    "    schedule: [",
    ...schedule.map((step) => `      ${JSON.stringify(step)},`),
    "    ],",
    "  })",
    "  expect(result.violation).toBeNull()",
    "})",
  ].join("\n")
}
