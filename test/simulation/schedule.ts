/** One step of a run. */
export type Step =
  /** An actor begins a move; `isAtOnce` runs it to its end before anything else happens. */
  | {
      readonly kind: "move"
      readonly id: number
      readonly person: string
      readonly move: string
      readonly numbers: readonly number[]
      readonly isAtOnce: boolean
    }
  /** A move goes on to its next cut. */
  | { readonly kind: "go"; readonly id: number; readonly outcome: string }
  /** The actor of a move goes away. */
  | { readonly kind: "leave"; readonly id: number }
  | { readonly kind: "kill"; readonly instance: number }
  | { readonly kind: "rotate"; readonly provider: string }
  /** The clock of an instance is set. */
  | { readonly kind: "drift"; readonly instance: number; readonly milliseconds: number }
  /** Time passes. */
  | { readonly kind: "wait"; readonly milliseconds: number }

/** Writes a step as text, such as `3 Vera sign-in 5 0 2`, `go 3 lost` or `wait 60000`. */
export function writeStep(step: Step): string {
  switch (step.kind) {
    case "move": {
      const numbers = step.numbers.join(" ")
      return `${step.id} ${step.person} ${step.move}${numbers && ` ${numbers}`}${step.isAtOnce ? " at-once" : ""}`
    }
    case "go":
      return `go ${step.id}${step.outcome === "ok" ? "" : ` ${step.outcome}`}`
    case "leave":
      return `leave ${step.id}`
    case "kill":
      return `kill ${step.instance}`
    case "rotate":
      return `rotate ${step.provider}`
    case "drift":
      return `drift ${step.instance} ${step.milliseconds}`
    default:
      return `wait ${step.milliseconds}`
  }
}

/**
 * Reads a step that {@link writeStep} wrote.
 * @throws TypeError for any other text
 */
export function parseStep(text: string): Step {
  const [first = "", second = "", third = "", ...rest] = text.split(" ")
  if (/^\d+$/.test(first)) {
    const isAtOnce = rest.at(-1) === "at-once"
    const numbers = (isAtOnce ? rest.slice(0, -1) : rest).map(Number)
    return { kind: "move", id: Number(first), person: second, move: third, numbers, isAtOnce }
  }
  switch (first) {
    case "go":
      return { kind: "go", id: Number(second), outcome: third || "ok" }
    case "leave":
      return { kind: "leave", id: Number(second) }
    case "kill":
      return { kind: "kill", instance: Number(second) }
    case "rotate":
      return { kind: "rotate", provider: second }
    case "drift":
      return { kind: "drift", instance: Number(second), milliseconds: Number(third) }
    case "wait":
      return { kind: "wait", milliseconds: Number(second) }
    default:
      throw new TypeError(`"${text}" is not a step. Copy the schedule from the report of a run`)
  }
}
