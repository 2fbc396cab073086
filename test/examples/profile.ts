import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { Example } from "./example.js"
import type { Stage } from "./stage.js"
import { closeWithoutProblems, openVisit, type Visit } from "./visit.js"

/** Tests of the page that calls an API of the provider with the user's access token. */
export function describeProfile(example: Example, stage: () => Stage): void {
  describe("the page that calls the provider for the signed-in user", () => {
    let visit: Visit
    beforeEach(async () => {
      visit = await openVisit(example, stage())
    })
    afterEach(() => visit.close())

    it("shows what the provider answers", async () => {
      const id = crypto.randomUUID()
      const person = { name: `Visitor ${id}`, email: `${id}@example.com` }
      await visit.open("/")
      await visit.signUpWithDemoId(person)
      await visit.expectSignedInAs(person.name)
      await visit.page.getByRole("link", { name: "Your profile at Demo ID" }).click()
      await visit.expectPath("/profile")
      await visit.expectText("#profile", `Demo ID knows you as ${person.name}, ${person.email}.`)
      await visit.look("profile")
      // The token stays on the server.
      expect(await visit.page.content()).not.toContain("Bearer")
      await closeWithoutProblems(visit)
    })

    it("asks a user without an account there to sign in", async () => {
      await visit.open("/login?callbackUrl=%2Fprofile")
      await visit.signInWithPassword()
      await visit.expectPath("/profile")
      await visit.expectAlert("Sign in with Demo ID to see this page.")
      await visit.look("profile-without-account")
      await closeWithoutProblems(visit)
    })
  })
}
