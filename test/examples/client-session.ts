import { afterEach, beforeEach, describe, it } from "vitest"
import type { Example } from "./example.js"
import type { Stage } from "./stage.js"
import { closeWithoutProblems, openVisit, type Visit } from "./visit.js"

/** Tests of the session in browser scripts. */
export function describeClientSession(example: Example, stage: () => Stage): void {
  describe("the session in the browser", () => {
    let visit: Visit

    beforeEach(async () => {
      visit = await openVisit(example, stage())
      await visit.open("/")
      await visit.signInWithDemoId("Grace Hopper")
      await visit.expectSignedInAs("Grace Hopper")
    })
    afterEach(() => visit.close())

    it("is changed by an update, on the server as well", async () => {
      await visit.page.getByRole("button", { name: "Change my name" }).click()
      await visit.expectClientSession("Signed in as Countess Ada")
      await visit.look("renamed")
      await visit.open("/")
      await visit.expectSignedInAs("Countess Ada")
      await closeWithoutProblems(visit)
    })

    it("is shared with another tab, and ends when the user signs out there", async () => {
      const other = visit.inTab(await visit.context.newPage())
      await other.open("/")
      await other.expectSignedInAs("Grace Hopper")
      await other.signOut()
      await other.expectNobody()
      await visit.open("/")
      await visit.expectNobody()
      await closeWithoutProblems(visit)
    })
  })
}
