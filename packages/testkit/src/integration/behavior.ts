import { beforeEach, describe } from "vitest"

/**
 * Groups tests of what every integration does. Their results carry the subject as `meta.behavior`, from which a report
 * tells what each framework does.
 */
export function describeBehavior(subject: string, register: () => void, title: string = subject): void {
  describe(title, () => {
    beforeEach(({ task }) => {
      Object.assign(task.meta, { behavior: subject })
    })
    register()
  })
}
